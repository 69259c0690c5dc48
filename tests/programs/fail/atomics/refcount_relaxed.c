#include "../../program.h"
#include <stdatomic.h>
// The last one writes, and nothing orders that with what the others did.
static atomic_int references = 2;
int data;
NOBODY_CARES(a) {
    int seen = data; // expect: race with line 9
    if (atomic_fetch_sub_explicit(&references, 1, memory_order_relaxed) == 1)
        data = 0;
    return seen ? NULL : unused;
}
int main(void) { run2(a, a); return 0; }
// fails whenever: nothing
