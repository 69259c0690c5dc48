#include "../../program.h"
// A common lock is held around only one of the two nestings.
MUTEX(gate);
MUTEX(m);
MUTEX(n);
NOBODY_CARES(a) {
    L(gate);
    L(m);
    L(n); // expect: deadlock
    U(n);
    U(m);
    U(gate);
    return unused;
}
NOBODY_CARES(b) {
    let_others_run();
    L(n);
    L(m);
    U(m);
    U(n);
    return unused;
}
int main(void) { run2(a, b); return 0; }
// fails whenever: 8 before 18, 17 before 9
