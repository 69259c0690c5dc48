#include "../../program.h"
static int count;
NOBODY_CARES(a) {
    flockfile(stderr);
    count++;
    funlockfile(stderr);
    return unused;
}
int main(void) { run2(a, a); return count != 2; }
