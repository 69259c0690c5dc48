#include "../../program.h"
static int ready;
MUTEX(m);
COND(c);
NOBODY_CARES(a) {
    struct timespec t = in_milliseconds(5);
    L(m);
    while (!ready)
        if (pthread_cond_timedwait(&c, &m, &t) == ETIMEDOUT)
            break;
    U(m);
    return unused;
}
NOBODY_CARES(b) {
    L(m);
    ready = 1;
    pthread_cond_signal(&c);
    U(m);
    return unused;
}
int main(void) { run2(a, b); return 0; }
