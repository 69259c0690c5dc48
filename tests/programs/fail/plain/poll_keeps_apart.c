#include "../../program.h"
// The locks are taken in opposite orders, and a plain flag, which is a race, keeps the threads apart. A replay in which the
// second thread comes first never gets past its loop: it is given up soon.
static volatile int done;
MUTEX(one);
MUTEX(two);
NOBODY_CARES(a) {
    L(one);
    L(two);
    U(two);
    U(one);
    done = 1; // expect: race with line 16
    return unused;
}
NOBODY_CARES(b) {
    while (!done)
        usleep(100);
    L(two);
    L(one);
    U(one);
    U(two);
    return unused;
}
int main(void) { run2(a, b); return 0; }
