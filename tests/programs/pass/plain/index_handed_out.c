#include "../../program.h"
// Each thread is given an index of its own; what it counts there is nobody else's until all have ended.
static int next, slots[8];
MUTEX(m);
NOBODY_CARES(uses) {
    L(m);
    int mine = next++;
    U(m);
    slots[mine]++;
    L(m);
    slots[7] += mine;
    U(m);
    return unused;
}
int main(void) {
    run3(uses, uses, uses);
    return slots[0] + slots[1] + slots[2] + slots[7] == 6 ? 0 : 1;
}
