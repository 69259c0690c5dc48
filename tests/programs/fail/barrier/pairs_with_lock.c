#include "../../program.h"
// Four threads meet in pairs at a barrier of two. If the two that hold no lock meet, one waits there alone with the lock
// that its partner needs.
static pthread_barrier_t bar;
MUTEX(m);
NOBODY_CARES(early) {
    pthread_barrier_wait(&bar);
    return unused;
}
NOBODY_CARES(early_with_lock) {
    L(m); // may: deadlock
    pthread_barrier_wait(&bar);
    U(m);
    return unused;
}
NOBODY_CARES(late_with_lock) {
    let_others_run();
    L(m); // expect: deadlock
    pthread_barrier_wait(&bar);
    U(m);
    return unused;
}
NOBODY_CARES(late) {
    let_others_run();
    let_others_run();
    pthread_barrier_wait(&bar);
    return unused;
}
int main(void) {
    pthread_t t[2];
    pthread_barrier_init(&bar, NULL, 2);
    pthread_create(&t[0], NULL, early, NULL);
    pthread_create(&t[1], NULL, early_with_lock, NULL);
    run2(late_with_lock, late);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
