#include "../../program.h"
// Different bytes of one word.
static char bytes[8];
NOBODY_CARES(a) {
    bytes[2] = 1;
    return unused;
}
NOBODY_CARES(b) {
    bytes[3] = 1;
    return unused;
}
int main(void) { run2(a, b); return 0; }
