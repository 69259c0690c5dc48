#include "../../program.h"
// The index is raced for; the entries are not, whatever it is.
int next, slots[8];
MUTEX(m);
NOBODY_CARES(counts) {
    for (int i = 1; i < 5; i++) // may: race with line 11
        next = i; // expect: race with line 11 at -O0
    return unused;
}
NOBODY_CARES(uses) {
    int mine = *(volatile int *)&next;
    L(m);
    slots[mine]++;
    U(m);
    return unused;
}
int main(void) { run3(counts, uses, uses); return 0; }
// fails whenever: nothing
