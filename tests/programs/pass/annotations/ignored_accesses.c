#include "../../program.h"
#include "../../annotations.h"
// One thread looks at a value without order and says so; the other writes it.
static int level;
NOBODY_CARES(writes) {
    level = 1;
    return unused;
}
NOBODY_CARES(looks) {
    AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
    int seen = level;
    AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
    if (seen > 1)
        abort();
    return unused;
}
int main(void) {
    run2(writes, looks);
    return 0;
}
