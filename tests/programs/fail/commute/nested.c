#include "../../program.h"
int x, y;
MUTEX(m);
MUTEX(n);
NOBODY_CARES(a) {
    L(m);
    x = 1; // expect: race with line 19
    L(n);
    y++;
    U(n);
    U(m);
    return unused;
}
NOBODY_CARES(b) {
    let_others_run();
    L(n);
    y++;
    U(n);
    x = 2;
    return unused;
}
int main(void) { run2(a, b); return 0; }
// fails whenever: 16 before 8
