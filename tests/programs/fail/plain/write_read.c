#include "../../program.h"
int value;
NOBODY_CARES(a) {
    value = 1; // expect: race with line 9
    return unused;
}
NOBODY_CARES(b) {
    let_others_run();
    return value < 0 ? NULL : unused;
}
int main(void) { run2(a, b); return 0; }
// fails whenever: nothing
