#include "../../program.h"
static int count;
MUTEX(m);
NOBODY_CARES(a) {
    L(m);
    count++; // expect: race with line 12
    U(m);
    return unused;
}
NOBODY_CARES(b) {
    struct timespec t = in_milliseconds(50);
    int got = pthread_mutex_timedlock(&m, &t) == 0; count++;
    if (got)
        U(m);
    return unused;
}
int main(void) { run2(a, b); return 0; }
