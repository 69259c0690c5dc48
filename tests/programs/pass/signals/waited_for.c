#include "../../program.h"
#include <signal.h>
#include <sys/signalfd.h>
// Signals that are taken by waiting for them: what was done before each was sent is there.
static int first, second, third, fourth;
NOBODY_CARES(taker) {
    int signal, sum = 0;
    sigset_t set;
    siginfo_t info;
    struct signalfd_siginfo read_info;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigwait(&set, &signal);
    sum += first;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    sigwaitinfo(&set, &info);
    sum += second;
    sigemptyset(&set);
    sigaddset(&set, SIGRTMIN);
    while (sigtimedwait(&set, &info, &(struct timespec){.tv_nsec = 50000000}) != SIGRTMIN)
        ;
    sum += third;
    sigemptyset(&set);
    sigaddset(&set, SIGHUP);
    int fd = signalfd(-1, &set, 0);
    if (read(fd, &read_info, sizeof read_info) == sizeof read_info)
        sum += fourth;
    return sum == 10 ? NULL : unused;
}
int main(void) {
    pthread_t thread;
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigaddset(&set, SIGUSR2);
    sigaddset(&set, SIGRTMIN);
    sigaddset(&set, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    pthread_create(&thread, NULL, taker, NULL);
    first = 1;
    pthread_kill(thread, SIGUSR1);
    second = 2;
    kill(getpid(), SIGUSR2);
    third = 3;
    sigqueue(getpid(), SIGRTMIN, (union sigval){.sival_int = 0});
    fourth = 4;
    kill(getpid(), SIGHUP);
    pthread_join(thread, NULL);
    return 0;
}
