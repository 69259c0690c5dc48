#include "../../program.h"
#include <stdatomic.h>
// A read-modify-write of another thread continues the release sequence.
static int data;
static atomic_int state;
NOBODY_CARES(a) {
    data = 5;
    atomic_store_explicit(&state, 1, memory_order_release);
    return unused;
}
NOBODY_CARES(b) {
    int one = 1;
    while (!atomic_compare_exchange_strong_explicit(&state, &one, 2, memory_order_relaxed, memory_order_relaxed)) {
        one = 1;
        usleep(100);
    }
    return unused;
}
NOBODY_CARES(c) {
    while (atomic_load_explicit(&state, memory_order_acquire) != 2)
        usleep(100);
    return data == 5 ? unused : NULL;
}
int main(void) { run3(a, b, c); return 0; }
