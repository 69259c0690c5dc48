#include "../../program.h"
// The flag is set before the lock is taken.
static int ready;
MUTEX(m);
COND(c);
NOBODY_CARES(a) {
    let_others_run();
    ready = 1; // expect: race with line 16
    L(m);
    pthread_cond_signal(&c);
    U(m);
    return unused;
}
NOBODY_CARES(b) {
    L(m);
    while (!ready)
        pthread_cond_wait(&c, &m);
    U(m);
    return unused;
}
int main(void) { run2(b, a); return 0; }
// fails whenever: 15 before 9
