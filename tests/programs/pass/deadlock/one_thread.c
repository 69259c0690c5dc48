#include "../../program.h"
// tc13: both orders, but in one thread only.
MUTEX(m);
MUTEX(n);
NOBODY_CARES(a) {
    L(m);
    L(n);
    U(n);
    U(m);
    L(n);
    L(m);
    U(m);
    U(n);
    return unused;
}
NOBODY_CARES(b) {
    return unused;
}
int main(void) { run2(a, b); return 0; }
