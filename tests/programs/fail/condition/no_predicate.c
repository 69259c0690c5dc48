#include "../../program.h"
// There is nothing to look at before the wait: a signal that comes first is lost.
MUTEX(m);
COND(c);
NOBODY_CARES(a) {
    L(m);
    pthread_cond_wait(&c, &m); // expect: deadlock
    U(m);
    return unused;
}
NOBODY_CARES(b) {
    let_others_run();
    L(m);
    pthread_cond_signal(&c);
    U(m);
    return unused;
}
int main(void) { run2(a, b); return 0; }
// fails whenever: 13 before 6
