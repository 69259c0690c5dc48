#include "../../program.h"
#include <stdatomic.h>
static atomic_int count;
NOBODY_CARES(a) {
    for (int i = 0; i < 5; i++)
        atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
    return unused;
}
int main(void) { run2(a, a); return count != 10; }
