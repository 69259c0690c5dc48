#include "../../program.h"
#include "../../annotations.h"
// The reader looks once. Only if it sees the flag does it say that it comes after the writer, and read.
static int data, ready;
NOBODY_CARES(writes) {
    data = 1;
    AnnotateHappensBefore(__FILE__, __LINE__, &ready);
    __atomic_store_n(&ready, 1, __ATOMIC_RELAXED);
    return unused;
}
NOBODY_CARES(looks) {
    let_others_run();
    if (__atomic_load_n(&ready, __ATOMIC_RELAXED)) {
        AnnotateHappensAfter(__FILE__, __LINE__, &ready);
        if (data != 1)
            abort();
    }
    return unused;
}
int main(void) {
    run2(writes, looks);
    return 0;
}
