#include "../../program.h"
// The same over a chain of three threads and two locks.
int x, y, z;
MUTEX(m);
MUTEX(n);
NOBODY_CARES(a) {
    x = 1; // expect: race with line 28
    L(m);
    y++;
    U(m);
    return unused;
}
NOBODY_CARES(b) {
    usleep(2000);
    L(m);
    y++;
    U(m);
    L(n);
    z++;
    U(n);
    return unused;
}
NOBODY_CARES(c) {
    usleep(6000);
    L(n);
    z++;
    U(n);
    x = 2;
    return unused;
}
int main(void) { run3(a, b, c); return 0; }
