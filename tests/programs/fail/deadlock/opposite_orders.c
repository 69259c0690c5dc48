#include "../../program.h"
// hg02: two threads, two mutexes, opposite orders, apart in time.
MUTEX(m);
MUTEX(n);
NOBODY_CARES(a) {
    L(m);
    L(n); // expect: deadlock
    U(n);
    U(m);
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
// fails whenever: 6 before 15, 14 before 7
