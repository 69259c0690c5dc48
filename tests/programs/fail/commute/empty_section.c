#include "../../program.h"
// An empty critical section waits for nothing in particular.
int x;
MUTEX(m);
NOBODY_CARES(a) {
    x = 1; // expect: race with line 15
    L(m);
    U(m);
    return unused;
}
NOBODY_CARES(b) {
    let_others_run();
    L(m);
    U(m);
    x = 2;
    return unused;
}
int main(void) { run2(a, b); return 0; }
// fails whenever: 13 before 7
