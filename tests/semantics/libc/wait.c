// ways: gcc clang tsan
// flags: -fno-builtin
// show: counter ends got pair queue
// Counters, event queues, poll and select.
// t0: start; fork t1; read counter; read queue; release h; read queue; acquire h; read counter; acquire h2
// t0: read pair[4..8]; write got; acquire h3; read ends[0..4]; acquire h4; join t1; read got; exit 0
// t1: start; read counter; release h2; read pair[0..4]; release h3; read ends[4..8]; release h4; end
#include <poll.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <unistd.h>
eventfd_t got;
int counter, queue, pair[2], ends[2];
static void *work(void *arg) {
    eventfd_write(counter, 3);
    if (write(pair[0], "x", 1) != 1 || write(ends[1], "y", 1) != 1) _exit(1);
    return arg;
}
int main(void) {
    pthread_t thread;
    struct epoll_event event = {.events = EPOLLIN};
    counter = eventfd(0, 0);
    queue = epoll_create1(0);
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) || pipe(ends)) _exit(1);
    pthread_create(&thread, 0, work, 0);
    epoll_ctl(queue, EPOLL_CTL_ADD, counter, &event);
    if (epoll_wait(queue, &event, 1, -1) != 1) _exit(1);
    eventfd_read(counter, &got);
    struct pollfd waited = {.fd = pair[1], .events = POLLIN};
    if (poll(&waited, 1, -1) != 1) _exit(1);
    fd_set set;
    FD_ZERO(&set);
    FD_SET(ends[0], &set);
    if (select(ends[0] + 1, &set, 0, 0, 0) != 1) _exit(1);
    pthread_join(thread, 0);
    return got != 3;
}
