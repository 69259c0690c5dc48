// A timer and another thread send signals as fast as they can while threads lock.
#include "nasty.h"

static volatile sig_atomic_t came, stop;
static pthread_t main_thread;

static void note(int signal) {
    (void)signal;
    came = 1;
}

static void *storm(void *arg) {
    while (!stop)
        pthread_kill(main_thread, SIGUSR1);
    return arg;
}

int main(void) {
    struct sigaction action = { .sa_handler = note, .sa_flags = SA_RESTART };
    sigaction(SIGUSR1, &action, 0);
    sigaction(SIGALRM, &action, 0);
    struct itimerval often = { { 0, 500 }, { 0, 500 } };
    setitimer(ITIMER_REAL, &often, 0);
    main_thread = pthread_self();
    pthread_t other = start(storm, 0);
    for (int i = 0; i < 20; i++)
        events();
    stop = 1;
    pthread_join(other, 0);
    struct itimerval never = { { 0, 0 }, { 0, 0 } };
    setitimer(ITIMER_REAL, &never, 0);
    MUST(came);
    say("calm");
}
