#include "../../program.h"
#include <stdatomic.h>
// A lock that is polled by exchanging, and one that is polled by comparing and exchanging.
atomic_int taken, owner;
int data;
static void add(int me) {
    while (atomic_exchange(&taken, 1)) { }
    int nobody = 0;
    while (!atomic_compare_exchange_weak_explicit(&owner, &nobody, me, memory_order_acquire, memory_order_relaxed)) nobody = 0;
    data++;
    let_others_run();
    atomic_store_explicit(&owner, 0, memory_order_release);
    atomic_store(&taken, 0);
}
NOBODY_CARES(a) {
    add(1);
    return unused;
}
NOBODY_CARES(b) {
    add(2);
    return unused;
}
int main(void) { run2(a, b); return 0; }
