#include "../../program.h"
// One variable, the same two functions, several lines: one bug, told once with its pairs of lines.
int total;
MUTEX(m);
NOBODY_CARES(adds) {
    total += 1; // expect: race with line 13
    L(m);
    U(m);
    total += 2; // expect: race with line 13
    return unused;
}
NOBODY_CARES(takes) {
    total -= 1;
    L(m);
    U(m);
    total -= 2; // may: race with line 6
    return unused;
}
int main(void) { run2(adds, takes); return 0; }
