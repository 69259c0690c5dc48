#include "../../program.h"
// Both lock, but not the same lock.
static int count;
MUTEX(m);
MUTEX(n);
NOBODY_CARES(a) {
    L(m);
    count++; // expect: race with line 14
    U(m);
    return unused;
}
NOBODY_CARES(b) {
    L(n);
    count++;
    U(n);
    return unused;
}
int main(void) { run2(a, b); return 0; }
// fails whenever: nothing
