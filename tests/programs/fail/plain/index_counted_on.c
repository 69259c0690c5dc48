#include "../../program.h"
// One thread counts, another takes what it finds for an index. Of all the entries it may come to one is somebody else's.
static int next, slots[8];
MUTEX(m);
NOBODY_CARES(counts) {
    for (int i = 1; i < 5; i++) {
        next = i; // expect: race with line 14
        L(m);
        U(m);
    }
    return unused;
}
NOBODY_CARES(uses) {
    int mine = *(volatile int *)&next;
    slots[mine]++; // expect: race with line 19
    return unused;
}
NOBODY_CARES(owns) {
    slots[2]++;
    return unused;
}
int main(void) { run3(counts, uses, owns); return 0; }
