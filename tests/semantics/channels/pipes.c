// flags: -D_GNU_SOURCE
// What goes through a pipe, a socket and an event counter goes in before it comes out.
// t0: start; fork t1; acquire h; acquire h2; acquire h3; join t1; exit 0
// t1: start; release h; release h2; release h3; end
#include <pthread.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

static int ends[2], sockets[2], counter;

static void *work(void *arg) {
    char byte = 1;
    uint64_t one = 1;
    if (write(ends[1], &byte, 1) != 1)
        return arg;
    if (send(sockets[1], &byte, 1, 0) != 1)
        return arg;
    if (write(counter, &one, 8) != 8)
        return arg;
    return 0;
}

int main(void) {
    pthread_t thread;
    void *value;
    char byte;
    uint64_t number;
    if (pipe(ends) != 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) != 0)
        return 1;
    counter = eventfd(0, 0);
    pthread_create(&thread, 0, work, &thread);
    if (read(ends[0], &byte, 1) != 1)
        return 2;
    if (recv(sockets[0], &byte, 1, 0) != 1)
        return 3;
    if (read(counter, &number, 8) != 8)
        return 4;
    pthread_join(thread, &value);
    return value != 0;
}
