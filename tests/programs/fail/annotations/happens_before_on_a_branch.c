#include "../../program.h"
#include "../../annotations.h"
// Only if the reader sees the flag does it say that it comes after the writer. It reads in any case.
int data;
static int ready;
NOBODY_CARES(writes) {
    data = 1; // expect: race with line 15
    AnnotateHappensBefore(__FILE__, __LINE__, &ready);
    __atomic_store_n(&ready, 1, __ATOMIC_RELAXED);
    return unused;
}
NOBODY_CARES(looks) {
    let_others_run();
    if (__atomic_load_n(&ready, __ATOMIC_RELAXED)) AnnotateHappensAfter(__FILE__, __LINE__, &ready);
    if (data > 1) abort();
    return unused;
}
int main(void) { run2(writes, looks); return 0; }
// fails whenever: 14 before 9
