#include "../../program.h"
#include <sched.h>
#include <stdatomic.h>
// A spin lock whose test-and-set and clear are relaxed keeps threads apart and orders nothing.
static atomic_flag lock = ATOMIC_FLAG_INIT;
static int count;
NOBODY_CARES(add) {
    for (int i = 0; i < 100; i++) {
        while (atomic_flag_test_and_set_explicit(&lock, memory_order_relaxed))
            sched_yield();
        count++; // expect: race with line 11
        atomic_flag_clear_explicit(&lock, memory_order_relaxed);
    }
    return unused;
}
int main(void) {
    run2(add, add);
    return count != 200;
}
