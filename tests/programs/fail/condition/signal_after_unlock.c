#include "../../program.h"
// The one that waits is woken by a signal without the mutex, just behind an access that races. It must not be lost.
MUTEX(m);
COND(c);
static int ready, count;
NOBODY_CARES(waits) {
    L(m);
    while (!ready)
        pthread_cond_wait(&c, &m);
    U(m);
    return unused;
}
NOBODY_CARES(wakes) {
    let_others_run();
    L(m);
    ready = 1;
    U(m);
    count++; // expect: race with line 23
    pthread_cond_signal(&c);
    return unused;
}
NOBODY_CARES(counts) {
    count++;
    return unused;
}
int main(void) { run3(waits, wakes, counts); return 0; }
// fails whenever: nothing
