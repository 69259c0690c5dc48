#include "../../program.h"
// One thread closes a socket, another shuts the library down.
struct socket { pthread_mutex_t lock; int open; };
static struct socket sockets[2] = {{PTHREAD_MUTEX_INITIALIZER, 1}, {PTHREAD_MUTEX_INITIALIZER, 1}};
MUTEX(table);
NOBODY_CARES(close_one) {
    L(sockets[1].lock);
    L(table); // expect: deadlock
    sockets[1].open = 0;
    U(table);
    U(sockets[1].lock);
    return unused;
}
NOBODY_CARES(shutdown_all) {
    let_others_run();
    L(table);
    for (int i = 0; i < 2; i++) {
        L(sockets[i].lock);
        sockets[i].open = 0;
        U(sockets[i].lock);
    }
    U(table);
    return unused;
}
int main(void) { run2(close_one, shutdown_all); return 0; }
// fails whenever: 7 before 18, 16 before 8
