#include "../../program.h"
// The section publishes that x is written, and the reader looks before it reads: the order of the sections matters.
static int x, ready;
MUTEX(m);
NOBODY_CARES(a) {
    x = 1;
    L(m);
    ready = 1;
    U(m);
    return unused;
}
NOBODY_CARES(b) {
    let_others_run();
    L(m);
    int go = ready;
    U(m);
    if (go)
        x = 2;
    return unused;
}
int main(void) { run2(a, b); return 0; }
