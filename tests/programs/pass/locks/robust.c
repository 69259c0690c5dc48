#include "../../program.h"
// The owner ends with the lock; the next one finds out and repairs it.
static pthread_mutex_t m;
static int state;
NOBODY_CARES(a) {
    L(m);
    state = 1;
    return unused;
}
NOBODY_CARES(b) {
    if (pthread_mutex_lock(&m) == EOWNERDEAD)
        pthread_mutex_consistent(&m);
    state = 2;
    U(m);
    return unused;
}
int main(void) {
    pthread_mutexattr_t attr;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&m, &attr);
    run_in_turn(a, b);
    return state != 2;
}
