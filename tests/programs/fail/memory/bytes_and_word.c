#include "../../program.h"
union { char bytes[8]; uint64_t word; } u;
NOBODY_CARES(a) {
    u.bytes[5] = 1; // expect: race with line 9
    return unused;
}
NOBODY_CARES(b) {
    let_others_run();
    u.word = 3;
    return unused;
}
int main(void) { run2(a, b); return 0; }
// fails whenever: nothing
