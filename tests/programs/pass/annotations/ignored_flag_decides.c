#include "../../program.h"
#include "../../annotations.h"
// The two orders of the locks never meet: the second thread waits for a flag that both touch under annotations. Such accesses
// are not reported, and the program waits for them all the same.
static volatile int stage;
MUTEX(m);
MUTEX(n);
NOBODY_CARES(first) {
    L(m);
    L(n);
    U(n);
    U(m);
    AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
    stage = 1;
    AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
    return unused;
}
NOBODY_CARES(second) {
    AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
    while (!stage)
        usleep(1000);
    AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
    L(n);
    L(m);
    U(m);
    U(n);
    return unused;
}
int main(void) {
    run2(first, second);
    return 0;
}
