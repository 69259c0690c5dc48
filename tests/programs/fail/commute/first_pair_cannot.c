#include "../../program.h"
// Two accesses of the same variable could race by the order of operations alone. One of them cannot, since the other
// thread looks at a flag first; the other can.
int state, count, done;
MUTEX(m);
MUTEX(n);
NOBODY_CARES(a) {
    state = 1;
    L(m);
    done = 1;
    U(m);
    state = 2; // expect: race with line 27
    L(n);
    count++;
    U(n);
    return unused;
}
NOBODY_CARES(b) {
    let_others_run();
    L(m);
    int go = done;
    U(m);
    L(n);
    count++;
    U(n);
    if (go)
        state = 3;
    return unused;
}
int main(void) {
    run2(a, b);
    return 0;
}
// fails whenever: 9 before 20, 23 before 13
