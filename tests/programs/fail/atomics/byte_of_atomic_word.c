#include "../../program.h"
#include <stdatomic.h>
// A byte of a word that is stored atomically is read as if nobody did.
union { _Atomic int32_t word; char bytes[4]; } u;
int seen;
NOBODY_CARES(a) {
    atomic_store_explicit(&u.word, 5, memory_order_relaxed); // expect: race with line 12
    return unused;
}
NOBODY_CARES(b) {
    let_others_run();
    seen = u.bytes[1];
    return unused;
}
int main(void) { run2(a, b); return 0; }
