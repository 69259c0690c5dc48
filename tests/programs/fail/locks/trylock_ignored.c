#include "../../program.h"
// The result of the try is ignored.
static int count;
MUTEX(m);
NOBODY_CARES(a) {
    L(m);
    count++; // expect: race with line 12
    U(m);
    return unused;
}
NOBODY_CARES(b) {
    int got = pthread_mutex_trylock(&m) == 0; count++;
    if (got)
        U(m);
    return unused;
}
int main(void) { run2(a, b); return 0; }
