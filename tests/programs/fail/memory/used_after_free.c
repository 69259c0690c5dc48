#include "../../program.h"
// A block that was made before there were threads is freed by one of them; the other uses it, mostly too late.
static int *block;
NOBODY_CARES(gives_back) {
    free(block); // expect: race with line 10
    return unused;
}
NOBODY_CARES(uses) {
    let_others_run();
    *block = 1;
    return unused;
}
int main(void) {
    block = malloc(sizeof *block);
    run2(gives_back, uses);
    return 0;
}
// fails whenever: nothing
