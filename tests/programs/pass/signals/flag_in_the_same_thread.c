#include "../../program.h"
#include <signal.h>
// The handler runs in the thread that reads the flag; the other thread has an atomic flag of its own.
static volatile sig_atomic_t stop;
static int told;
static void on_signal(int number) {
    stop = number;
    __atomic_store_n(&told, 1, __ATOMIC_RELEASE);
}
NOBODY_CARES(works) {
    for (int i = 0; i < 2000 && !__atomic_load_n(&told, __ATOMIC_ACQUIRE); i++)
        usleep(1000);
    return unused;
}
int main(void) {
    pthread_t worker;
    signal(SIGUSR1, on_signal);
    pthread_create(&worker, NULL, works, NULL);
    raise(SIGUSR1);
    pthread_join(worker, NULL);
    return stop != SIGUSR1;
}
