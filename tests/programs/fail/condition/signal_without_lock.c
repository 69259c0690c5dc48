#include "../../program.h"
// The flag is under the lock and the signal is not: it may be given between the look at the flag and the wait.
// (Every access of the flag is atomic, so there is no race.)
#include <stdatomic.h>
static atomic_int ready;
MUTEX(m);
COND(c);
NOBODY_CARES(waiter) {
    L(m);
    if (!atomic_load(&ready))
        pthread_cond_wait(&c, &m); // expect: deadlock
    U(m);
    return unused;
}
NOBODY_CARES(signaller) {
    let_others_run();
    atomic_store(&ready, 1);
    pthread_cond_signal(&c);
    return unused;
}
int main(void) { run2(waiter, signaller); return 0; }
// fails whenever: 10 before 17, 18 before 11
