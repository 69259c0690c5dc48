#include "../../program.h"
// Two threads increment without a lock.
static int count;
NOBODY_CARES(a) {
    count++; // expect: race with line 10
    return unused;
}
NOBODY_CARES(b) {
    let_others_run();
    count++;
    return unused;
}
int main(void) { run2(a, b); return count == 0; }
// fails whenever: nothing
