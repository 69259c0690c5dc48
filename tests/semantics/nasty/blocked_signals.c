// All signals are blocked, and waited for in a thread.
#include "nasty.h"

static void *wait_for_it(void *arg) {
    sigset_t all;
    int came = 0;
    sigfillset(&all);
    for (int i = 0; i < 10; i++) {
        MUST(sigwait(&all, &came) == 0 && came == SIGTERM);
        add(0);
    }
    return arg;
}

int main(void) {
    events();
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, 0);
    pthread_t waiter = start(wait_for_it, 0);
    for (int i = 0; i < 10; i++) {
        pthread_kill(waiter, SIGTERM);
        sigset_t pending;
        do
            sched_yield();
        while (sigpending(&pending) == 0 && nasty_count < 200 + (i + 1) * 100);
    }
    pthread_join(waiter, 0);
    say("ten came");
}
