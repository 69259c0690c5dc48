#include "../../program.h"
#include <stdatomic.h>
// One side is atomic, the other is not.
static int count;
NOBODY_CARES(a) {
    __atomic_fetch_add(&count, 1, __ATOMIC_SEQ_CST); // expect: race with line 11
    return unused;
}
NOBODY_CARES(b) {
    let_others_run();
    count++;
    return unused;
}
int main(void) { run2(a, b); return 0; }
// fails whenever: nothing
