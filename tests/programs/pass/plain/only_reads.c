#include "../../program.h"
static int value = 7;
static int seen[2];
NOBODY_CARES(a) {
    seen[0] = value;
    return unused;
}
NOBODY_CARES(b) {
    seen[1] = value;
    return unused;
}
int main(void) { run2(a, b); return seen[0] + seen[1] != 14; }
