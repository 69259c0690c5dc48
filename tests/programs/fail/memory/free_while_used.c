#include "../../program.h"
// One thread frees what the other may still be writing.
static int *block;
NOBODY_CARES(a) {
    *block = 1; // expect: race with line 10
    return unused;
}
NOBODY_CARES(b) {
    let_others_run();
    free(block);
    return unused;
}
int main(void) {
    block = calloc(8, 4);
    run2(a, b);
    return 0;
}
// fails whenever: nothing
