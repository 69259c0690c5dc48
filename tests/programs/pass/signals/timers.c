#include "../../program.h"
#include <signal.h>
#include <sys/time.h>
// What was done before a timer was armed is there in its handler, which runs in another thread.
static int by_itimer, by_timer;
static volatile sig_atomic_t alarms, ticks;
static void on_alarm(int signal) {
    (void)signal;
    alarms += by_itimer;
}
static void on_tick(int signal) {
    (void)signal;
    ticks += by_timer;
}
NOBODY_CARES(target) {
    sigset_t none;
    sigemptyset(&none);
    while (!alarms || !ticks)
        sigsuspend(&none);
    return unused;
}
int main(void) {
    pthread_t thread;
    timer_t timer;
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGALRM);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    signal(SIGALRM, on_alarm);
    signal(SIGUSR1, on_tick);
    pthread_create(&thread, NULL, target, NULL);
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
    timer_create(CLOCK_MONOTONIC, &event, &timer);
    by_itimer = 1;
    setitimer(ITIMER_REAL, &(struct itimerval){.it_value.tv_usec = 2000}, NULL);
    by_timer = 1;
    timer_settime(timer, 0, &(struct itimerspec){.it_value.tv_nsec = 3000000}, NULL);
    pthread_join(thread, NULL);
    return 0;
}
