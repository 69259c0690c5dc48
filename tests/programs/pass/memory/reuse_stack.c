#include "../../program.h"
// Threads one after the other get the same stack.
NOBODY_CARES(a) {
    volatile int local[16];
    for (int i = 0; i < 16; i++)
        local[i] = i;
    return local[3] == 3 ? unused : NULL;
}
int main(void) {
    for (int i = 0; i < 4; i++)
        run_in_turn(a, a);
    return 0;
}
