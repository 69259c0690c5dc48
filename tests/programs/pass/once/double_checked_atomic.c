#include "../../program.h"
#include <stdatomic.h>
static _Atomic(int *) instance;
MUTEX(m);
static int *get(void) {
    int *seen = atomic_load_explicit(&instance, memory_order_acquire);
    if (!seen) {
        L(m);
        seen = atomic_load_explicit(&instance, memory_order_relaxed);
        if (!seen) {
            seen = malloc(4);
            *seen = 3;
            atomic_store_explicit(&instance, seen, memory_order_release);
        }
        U(m);
    }
    return seen;
}
NOBODY_CARES(a) {
    return *get() == 3 ? unused : NULL;
}
int main(void) { run2(a, a); return 0; }
