#include "../../program.h"
static int *block;
NOBODY_CARES(a) {
    block[0] = 1;
    return unused;
}
NOBODY_CARES(b) {
    block[1] = 1;
    return unused;
}
int main(void) {
    block = calloc(8, sizeof *block);
    run2(a, b);
    free(block);
    return 0;
}
