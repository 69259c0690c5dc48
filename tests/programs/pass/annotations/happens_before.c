#include "../../program.h"
#include "../../annotations.h"
// Order that only the program's author knows of, through a file of the system that nobody sees, or here a relaxed flag.
static int data;
static int ready;
NOBODY_CARES(writes) {
    data = 1;
    AnnotateHappensBefore(__FILE__, __LINE__, &ready);
    __atomic_store_n(&ready, 1, __ATOMIC_RELAXED);
    return unused;
}
NOBODY_CARES(reads) {
    while (!__atomic_load_n(&ready, __ATOMIC_RELAXED))
        sched_yield();
    AnnotateHappensAfter(__FILE__, __LINE__, &ready);
    if (data != 1)
        abort();
    return unused;
}
int main(void) {
    run2(writes, reads);
    return 0;
}
