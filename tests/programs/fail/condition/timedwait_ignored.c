#include "../../program.h"
// Whether the wait timed out is ignored, and the data is taken for written.
int ready, data;
MUTEX(m);
COND(c);
NOBODY_CARES(a) {
    struct timespec t = in_milliseconds(100);
    L(m);
    if (!ready)
        pthread_cond_timedwait(&c, &m, &t);
    U(m);
    return data < 0 ? NULL : unused; // expect: race with line 16
}
NOBODY_CARES(b) {
    let_others_run();
    data = 1;
    L(m);
    ready = 1;
    pthread_cond_signal(&c);
    U(m);
    return unused;
}
int main(void) { run2(a, b); return 0; }
