#include "../../program.h"
// Opposite orders, ordered in the observed run by a critical section in between.
static int x;
MUTEX(m);
MUTEX(n);
MUTEX(o);
NOBODY_CARES(a) {
    L(m);
    L(n); // expect: deadlock
    U(n);
    U(m);
    L(o);
    x++;
    U(o);
    return unused;
}
NOBODY_CARES(b) {
    let_others_run();
    L(o);
    x++;
    U(o);
    L(n);
    L(m);
    U(m);
    U(n);
    return unused;
}
int main(void) { run2(a, b); return 0; }
// fails whenever: 8 before 23, 22 before 9
