#include "../../program.h"
#include "../../annotations.h"
// Only reads are ignored: the write under the annotation races.
static int level;
NOBODY_CARES(writes) {
    level = 1; // expect: race with line 11
    return unused;
}
NOBODY_CARES(looks) {
    AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
    level = 2;
    AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
    return unused;
}
int main(void) {
    run2(writes, looks);
    return level == 0;
}
