#include "../../program.h"
#include <stdatomic.h>
static atomic_flag lock = ATOMIC_FLAG_INIT;
static int count;
NOBODY_CARES(a) {
    while (atomic_flag_test_and_set_explicit(&lock, memory_order_acquire))
        usleep(50);
    count++;
    atomic_flag_clear_explicit(&lock, memory_order_release);
    return unused;
}
int main(void) { run2(a, a); return count != 2; }
