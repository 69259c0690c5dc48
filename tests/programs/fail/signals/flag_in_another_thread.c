#include "../../program.h"
#include <signal.h>
// The type of the flag makes it safe to set in a handler and to read in the same thread. Between threads it orders nothing.
static volatile sig_atomic_t stop;
static void on_signal(int number) {
    stop = number; // expect: race with line 10
}
NOBODY_CARES(works) {
    for (int i = 0; i < 2000; i++) {
        if (stop)
            break;
        usleep(1000);
    }
    return unused;
}
int main(void) {
    pthread_t worker;
    signal(SIGUSR1, on_signal);
    pthread_create(&worker, NULL, works, NULL);
    let_others_run();
    raise(SIGUSR1);
    pthread_join(worker, NULL);
    return 0;
}
