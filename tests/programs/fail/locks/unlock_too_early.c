#include "../../program.h"
static int count;
MUTEX(m);
NOBODY_CARES(a) {
    L(m);
    int seen = count;
    U(m);
    count = seen + 1; // expect: race with line 14
    return unused;
}
NOBODY_CARES(b) {
    let_others_run();
    L(m);
    count++;
    U(m);
    return unused;
}
int main(void) { run2(a, b); return 0; }
// fails whenever: 5 before 13
