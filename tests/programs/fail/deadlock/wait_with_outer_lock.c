#include "../../program.h"
// A wait releases its own mutex and keeps the outer one, which the signaller needs.
MUTEX(outer);
MUTEX(m);
COND(c);
static int ready;
NOBODY_CARES(a) {
    L(outer);
    L(m);
    ready = 1;
    pthread_cond_signal(&c);
    U(m);
    U(outer);
    return unused;
}
NOBODY_CARES(b) {
    let_others_run();
    L(outer);
    L(m);
    while (!ready)
        pthread_cond_wait(&c, &m);
    U(m);
    U(outer);
    return unused;
}
NOBODY_CARES(d) {
    usleep(6000);
    L(m);
    L(outer); // expect: deadlock
    U(outer);
    U(m);
    return unused;
}
int main(void) { run3(a, b, d); return 0; }
