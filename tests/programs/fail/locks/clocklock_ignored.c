#include "../../program.h"
// What comes of the timed lock is not looked at.
static int count;
MUTEX(m);
NOBODY_CARES(a) {
    L(m);
    count++; // expect: race with line 15
    U(m);
    return unused;
}
NOBODY_CARES(b) {
    let_others_run();
    struct timespec t = {0};
    int failed = pthread_mutex_clocklock(&m, CLOCK_MONOTONIC, &t);
    count++;
    if (!failed)
        U(m);
    return unused;
}
int main(void) { run2(a, b); return count == 0; }
