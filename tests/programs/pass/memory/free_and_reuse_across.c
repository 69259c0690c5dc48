#include "../../program.h"
// Threads free and allocate blocks of one size: addresses wander from thread to thread, blocks do not.
NOBODY_CARES(a) {
    for (int i = 0; i < 50; i++) {
        int *mine = malloc(40);
        mine[0] = i;
        mine[9] = i;
        free(mine);
    }
    return unused;
}
int main(void) { run3(a, a, a); return 0; }
