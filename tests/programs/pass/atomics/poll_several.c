#include "../../program.h"
#include <stdatomic.h>
#include <sched.h>
// Polls three atomics in turn, and counts its rounds, until one of them has changed. Each round that repeats the one
// before it is no event.
atomic_int stop, ready, urgent;
long rounds;
int data;
NOBODY_CARES(waiter) {
    while (!atomic_load(&stop) && !atomic_load(&ready) && !atomic_load_explicit(&urgent, memory_order_acquire)) {
        rounds++;
        if (rounds % 64 == 0) sched_yield();
    }
    if (atomic_load(&ready)) data++;
    return unused;
}
NOBODY_CARES(worker) {
    for (int i = 0; i < 20; i++) let_others_run();
    data = 1;
    atomic_store(&ready, 1);
    return unused;
}
int main(void) { run2(waiter, worker); return 0; }
