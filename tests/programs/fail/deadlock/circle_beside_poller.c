#include "../../program.h"
// Two threads lock in opposite orders while a third one waits with deadlines for ever new ones.
static int done;
MUTEX(m);
MUTEX(one);
MUTEX(two);
COND(c);
NOBODY_CARES(poller) {
    L(m);
    while (!done) {
        struct timespec t = in_milliseconds(10);
        pthread_cond_timedwait(&c, &m, &t);
    }
    U(m);
    return unused;
}
NOBODY_CARES(a) {
    L(one);
    L(two); // expect: deadlock
    U(two);
    U(one);
    return unused;
}
NOBODY_CARES(b) {
    let_others_run();
    L(two);
    L(one); // expect: deadlock
    U(one);
    U(two);
    L(m);
    done = 1;
    U(m);
    return unused;
}
int main(void) { run3(poller, a, b); return 0; }
