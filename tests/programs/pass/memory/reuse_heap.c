#include "../../program.h"
// The same memory, freed by one and allocated by the other: no race.
static int sum[2];
NOBODY_CARES(a) {
    for (int i = 0; i < 20; i++) {
        int *mine = malloc(48);
        *mine = i;
        sum[0] += *mine;
        free(mine);
    }
    return unused;
}
NOBODY_CARES(b) {
    for (int i = 0; i < 20; i++) {
        int *mine = malloc(48);
        *mine = i;
        sum[1] += *mine;
        free(mine);
    }
    return unused;
}
int main(void) { run2(a, b); return sum[0] != 190; }
