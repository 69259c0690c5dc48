#include "../../program.h"
// The data is written after the flag that says it is there.
int ready, data;
MUTEX(m);
COND(c);
NOBODY_CARES(a) {
    let_others_run();
    L(m);
    ready = 1;
    pthread_cond_signal(&c);
    U(m);
    data = 5; // expect: race with line 20
    return unused;
}
NOBODY_CARES(b) {
    L(m);
    while (!ready)
        pthread_cond_wait(&c, &m);
    U(m);
    return data > 5 ? NULL : unused;
}
int main(void) { run2(b, a); return 0; }
// fails whenever: nothing
