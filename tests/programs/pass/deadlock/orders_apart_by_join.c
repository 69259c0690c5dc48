#include "../../program.h"
MUTEX(m);
MUTEX(n);
NOBODY_CARES(a) {
    L(m);
    L(n);
    U(n);
    U(m);
    return unused;
}
NOBODY_CARES(b) {
    L(n);
    L(m);
    U(m);
    U(n);
    return unused;
}
int main(void) { run_in_turn(a, b); return 0; }
