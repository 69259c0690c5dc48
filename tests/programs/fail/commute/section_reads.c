#include "../../program.h"
// The sections only read, so their order means nothing.
int x, y = 3;
int seen[2];
MUTEX(m);
NOBODY_CARES(a) {
    x = 1; // expect: race with line 18
    L(m);
    seen[0] = y;
    U(m);
    return unused;
}
NOBODY_CARES(b) {
    let_others_run();
    L(m);
    seen[1] = y;
    U(m);
    x = 2;
    return unused;
}
int main(void) { run2(a, b); return 0; }
// fails whenever: 15 before 8
