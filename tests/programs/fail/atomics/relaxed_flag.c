#include "../../program.h"
#include <stdatomic.h>
// A relaxed flag orders nothing.
static int data;
static atomic_int ready;
NOBODY_CARES(a) {
    data = 5; // expect: race with line 14
    atomic_store_explicit(&ready, 1, memory_order_relaxed);
    return unused;
}
NOBODY_CARES(b) {
    while (!atomic_load_explicit(&ready, memory_order_relaxed))
        usleep(100);
    return data == 5 ? unused : NULL;
}
int main(void) { run2(a, b); return 0; }
