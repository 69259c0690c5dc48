#include "../../program.h"
static int count;
NOBODY_CARES(a) {
    if (ftrylockfile(stderr) == 0) {
        count++;
        funlockfile(stderr);
    }
    return unused;
}
int main(void) { run2(a, a); return 0; }
