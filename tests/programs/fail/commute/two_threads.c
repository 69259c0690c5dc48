#include "../../program.h"
// The observed order of the two critical sections hides the race from a happens-before detector.
int x, y;
MUTEX(m);
NOBODY_CARES(a) {
    x = 1; // expect: race with line 17
    L(m);
    y++;
    U(m);
    return unused;
}
NOBODY_CARES(b) {
    let_others_run();
    L(m);
    y++;
    U(m);
    x = 2;
    return unused;
}
int main(void) { run2(a, b); return 0; }
// fails whenever: 14 before 7
