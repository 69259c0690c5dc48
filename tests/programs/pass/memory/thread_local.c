#include "../../program.h"
static __thread int mine;
NOBODY_CARES(a) {
    for (int i = 0; i < 5; i++)
        mine++;
    return mine == 5 ? unused : NULL;
}
int main(void) { run2(a, a); return mine; }
