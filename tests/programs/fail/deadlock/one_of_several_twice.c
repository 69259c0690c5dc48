#include "../../program.h"
// One of several threads takes a mutex twice; the others work on and end.
static int count;
MUTEX(m);
MUTEX(other);
static void add(void) {
    L(m); // expect: deadlock
    count++;
    U(m);
}
NOBODY_CARES(a) {
    for (int i = 0; i < 100; i++) {
        L(other);
        U(other);
    }
    return unused;
}
NOBODY_CARES(b) {
    let_others_run();
    L(m);
    add();
    U(m);
    return unused;
}
int main(void) { run3(a, b, a); return 0; }
