#include "../../program.h"
#include <stdatomic.h>
struct config { int width; };
static _Atomic(struct config *) config;
NOBODY_CARES(a) {
    struct config *fresh = malloc(sizeof *fresh);
    fresh->width = 80;
    atomic_store_explicit(&config, fresh, memory_order_release);
    return unused;
}
NOBODY_CARES(b) {
    let_others_run();
    struct config *seen = atomic_load_explicit(&config, memory_order_acquire);
    return seen && seen->width != 80 ? NULL : unused;
}
int main(void) { run2(a, b); return 0; }
