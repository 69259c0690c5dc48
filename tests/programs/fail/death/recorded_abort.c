#include "../../program.h"
// It dies whatever its threads do.
NOBODY_CARES(a) { return unused; }
NOBODY_CARES(b) { return unused; }
int main(void) {
    run2(a, b);
    abort(); // expect: crash
}
