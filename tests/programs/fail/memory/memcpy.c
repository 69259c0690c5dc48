#include "../../program.h"
static char text[32] = "hello";
char copy[32];
NOBODY_CARES(a) {
    memcpy(copy, text, sizeof text); // expect: race with line 9
    return unused;
}
NOBODY_CARES(b) {
    let_others_run(); copy[7] = 'x';
    return unused;
}
int main(void) { run2(a, b); return 0; }
// fails whenever: nothing
