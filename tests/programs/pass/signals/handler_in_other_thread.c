#include "../../program.h"
#include <signal.h>
// What was done before the handler was installed, and before the signal was sent, is there when the handler runs, whichever
// thread it interrupts.
static int table, message, seen;
static void on_signal(int signal) {
    (void)signal;
    seen = table + message;
}
NOBODY_CARES(target) {
    sigset_t none;
    sigemptyset(&none);
    sigsuspend(&none);
    return seen == 5 ? NULL : unused;
}
int main(void) {
    pthread_t thread;
    sigset_t all;
    sigemptyset(&all);
    sigaddset(&all, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &all, NULL);
    pthread_create(&thread, NULL, target, NULL);
    table = 2;
    struct sigaction action = {.sa_handler = on_signal};
    sigaction(SIGUSR1, &action, NULL);
    message = 3;
    pthread_kill(thread, SIGUSR1);
    pthread_join(thread, NULL);
    return 0;
}
