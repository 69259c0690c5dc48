#include "../../program.h"
// guarded-lock2: both nestings are under one gate lock.
MUTEX(gate);
MUTEX(m);
MUTEX(n);
NOBODY_CARES(a) {
    L(gate);
    L(m);
    L(n);
    U(n);
    U(m);
    U(gate);
    return unused;
}
NOBODY_CARES(b) {
    L(gate);
    L(n);
    L(m);
    U(m);
    U(n);
    U(gate);
    return unused;
}
int main(void) { run2(a, b); return 0; }
