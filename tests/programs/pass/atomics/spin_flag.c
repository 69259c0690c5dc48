#include "../../program.h"
#include <stdatomic.h>
static int data;
static atomic_int ready;
NOBODY_CARES(a) {
    data = 5;
    atomic_store_explicit(&ready, 1, memory_order_release);
    return unused;
}
NOBODY_CARES(b) {
    while (!atomic_load_explicit(&ready, memory_order_acquire))
        usleep(100);
    return data == 5 ? unused : NULL;
}
int main(void) { run2(a, b); return 0; }
