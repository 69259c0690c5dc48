#include "../../program.h"
// Two bit fields are one memory location.
struct { unsigned a : 3, b : 5; } s;
NOBODY_CARES(a) {
    s.a = 1; // expect: race with line 10
    return unused;
}
NOBODY_CARES(b) {
    let_others_run();
    s.b = 2;
    return unused;
}
int main(void) { run2(a, b); return 0; }
// fails whenever: nothing
