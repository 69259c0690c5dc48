#include "../../program.h"
// Each holds another file's lock.
static int count;
NOBODY_CARES(a) {
    flockfile(stderr);
    count++; // expect: race with line 13
    funlockfile(stderr);
    return unused;
}
NOBODY_CARES(b) {
    let_others_run();
    flockfile(stdin);
    count++;
    funlockfile(stdin);
    return unused;
}
int main(void) { run2(a, b); return count == 0; }
