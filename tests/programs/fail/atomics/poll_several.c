#include "../../program.h"
#include <stdatomic.h>
// One of three flags that are polled in turn is set before the data are.
atomic_int stop, ready, urgent;
int data;
NOBODY_CARES(waiter) {
    while (!atomic_load(&stop) && !atomic_load(&ready) && !atomic_load(&urgent)) { }
    return (void *)(long)data;
}
NOBODY_CARES(worker) {
    for (int i = 0; i < 5; i++) let_others_run();
    atomic_store(&urgent, 1);
    data = 1; // expect: race with line 8
    return unused;
}
int main(void) { run2(waiter, worker); return 0; }
