#include "../../program.h"
// A file's lock is a lock, too.
MUTEX(m);
NOBODY_CARES(a) {
    flockfile(stderr);
    L(m); // expect: deadlock
    U(m);
    funlockfile(stderr);
    return unused;
}
NOBODY_CARES(b) {
    let_others_run();
    L(m);
    flockfile(stderr);
    funlockfile(stderr);
    U(m);
    return unused;
}
int main(void) { run2(a, b); return 0; }
// fails whenever: 5 before 14, 13 before 6
