#include "../../program.h"
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/select.h>
// One thread a call with a deadline, each in a loop until the flag is up. None of them is ever stuck.
static int done;
MUTEX(m);
static sem_t never;
static int is_done(void) {
    L(m);
    int result = done;
    U(m);
    return result;
}
NOBODY_CARES(by_semaphore) {
    do {
        struct timespec t = in_milliseconds(20);
        sem_timedwait(&never, &t);
    } while (!is_done());
    return unused;
}
NOBODY_CARES(by_poll) {
    int ends[2];
    if (pipe(ends) != 0)
        return NULL;
    struct pollfd fd = {.fd = ends[0], .events = POLLIN};
    int epoll = epoll_create1(0);
    do {
        poll(&fd, 1, 5);
        struct epoll_event event;
        epoll_wait(epoll, &event, 1, 5);
        struct timeval t = {.tv_usec = 5000};
        select(0, NULL, NULL, NULL, &t);
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    } while (!is_done());
    return unused;
}
NOBODY_CARES(by_signal) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    do
        sigtimedwait(&set, NULL, &(struct timespec){.tv_nsec = 20000000});
    while (!is_done());
    return unused;
}
NOBODY_CARES(finish) {
    let_others_run();
    L(m);
    done = 1;
    U(m);
    return unused;
}
int main(void) {
    sem_init(&never, 0, 0);
    pthread_t last;
    pthread_create(&last, NULL, finish, NULL);
    run3(by_semaphore, by_poll, by_signal);
    pthread_join(last, NULL);
    return 0;
}
