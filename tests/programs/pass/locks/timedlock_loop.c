#include "../../program.h"
// Timed locks and plain ones, many times: what the plain lock guards cannot race whatever fails.
static int timed, plain;
MUTEX(m);
MUTEX(n);
NOBODY_CARES(work) {
    for (int i = 0; i < 100; i++) {
        struct timespec t = in_milliseconds(10000);
        if (!pthread_mutex_timedlock(&m, &t)) {
            timed++;
            U(m);
        }
        L(n);
        plain++;
        U(n);
    }
    return unused;
}
int main(void) {
    run2(work, work);
    return plain != 200;
}
