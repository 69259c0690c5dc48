#include "../../program.h"
// Each takes a number under the lock and then owns that slot.
static int next, slot[4];
MUTEX(m);
NOBODY_CARES(a) {
    L(m);
    int mine = next++;
    U(m);
    slot[mine] = mine + 1;
    return unused;
}
int main(void) { run3(a, a, a); return slot[2] != 3; }
