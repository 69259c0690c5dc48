#include "../../program.h"
// barrier-deadlock: one waits at the barrier with a lock that the other needs on its way there.
static pthread_barrier_t bar;
MUTEX(m);
NOBODY_CARES(a) {
    L(m);
    U(m);
    pthread_barrier_wait(&bar);
    return unused;
}
NOBODY_CARES(b) {
    let_others_run();
    L(m);
    pthread_barrier_wait(&bar); // expect: deadlock
    U(m);
    return unused;
}
int main(void) {
    pthread_barrier_init(&bar, NULL, 2);
    run2(a, b);
    return 0;
}
// fails whenever: 13 before 6
