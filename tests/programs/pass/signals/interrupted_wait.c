#include "../../program.h"
#include <signal.h>
#include <sys/time.h>
// A timer interrupts the waits for a semaphore, which are begun again.
static sem_t posted;
static volatile sig_atomic_t ticks;
static void tick(int number) { ticks += number > 0; }
NOBODY_CARES(waiter) {
    for (int i = 0; i < 5; i++)
        while (sem_wait(&posted) == -1 && errno == EINTR)
            continue;
    return unused;
}
static void set_timer(long microseconds) {
    struct itimerval timer = {{0, microseconds}, {0, microseconds}};
    setitimer(ITIMER_REAL, &timer, NULL);
}
int main(void) {
    struct sigaction action = {.sa_handler = tick};
    sigaction(SIGALRM, &action, NULL);
    sem_init(&posted, 0, 0);
    pthread_t thread;
    pthread_create(&thread, NULL, waiter, NULL);
    set_timer(2000);
    for (int i = 0; i < 5; i++) {
        usleep(3000);
        sem_post(&posted);
    }
    pthread_join(thread, NULL);
    set_timer(0);
    return 0;
}
