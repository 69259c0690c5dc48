#include "../../program.h"
#include <signal.h>
#include <stdatomic.h>
#include <sys/time.h>
// A handler does what the threads do that it interrupts, many times in every run. It orders nothing.
static _Atomic long ticks;
static long sum;
static int count;
MUTEX(m);
static void tick(int signal) { atomic_fetch_add_explicit(&ticks, signal, memory_order_relaxed); }
NOBODY_CARES(work) {
    count++; // expect: race with line 12
    for (int i = 0; i < 5000; i++) {
        L(m);
        sum++;
        atomic_fetch_add_explicit(&ticks, 1, memory_order_relaxed);
        U(m);
    }
    return unused;
}
int main(void) {
    pthread_t one, two;
    struct itimerval often = {{0, 200}, {0, 200}};
    pthread_create(&one, NULL, work, NULL);
    pthread_create(&two, NULL, work, NULL);
    signal(SIGALRM, tick);
    setitimer(ITIMER_REAL, &often, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return sum == 0;
}
