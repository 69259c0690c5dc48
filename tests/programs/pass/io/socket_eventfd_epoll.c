#include <pthread.h>
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>
static int sv[2], ev, pp[2];
static int a, b, c, *box;
static void *w(void *p) {
    a = 1;
    uint64_t one = 1;
    write(ev, &one, 8);
    char x;
    read(sv[1], &x, 1);
    if (b != 2)
        abort();
    c = 3;
    int *msg = malloc(sizeof(int));
    *msg = 9;
    write(pp[1], &msg, sizeof msg);
    shutdown(sv[1], SHUT_WR);
    return p;
}
int main(void) {
    socketpair(AF_UNIX, SOCK_STREAM, 0, sv);
    ev = eventfd(0, 0);
    pipe(pp);
    pthread_t t;
    pthread_create(&t, NULL, w, NULL);
    int ep = epoll_create1(0);
    struct epoll_event e = {.events = EPOLLIN, .data.fd = ev};
    epoll_ctl(ep, EPOLL_CTL_ADD, ev, &e);
    epoll_wait(ep, &e, 1, -1);
    uint64_t n;
    read(ev, &n, 8);
    if (a != 1)
        abort();
    b = 2;
    send(sv[0], "x", 1, 0);
    struct pollfd pf = {.fd = pp[0], .events = POLLIN};
    poll(&pf, 1, -1);
    read(pp[0], &box, sizeof box);
    if (*box != 9 || c != 3)
        abort();
    free(box);
    char y;
    while (recv(sv[0], &y, 1, 0) > 0) {
    }
    pthread_join(t, NULL);
    return 0;
}
