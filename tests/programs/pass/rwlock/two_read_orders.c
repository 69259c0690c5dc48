#include "../../program.h"
// Read locks taken in opposite orders do not exclude each other.
static pthread_rwlock_t p = PTHREAD_RWLOCK_INITIALIZER;
static pthread_rwlock_t q = PTHREAD_RWLOCK_INITIALIZER;
static void both(pthread_rwlock_t *x, pthread_rwlock_t *y) {
    pthread_rwlock_rdlock(x);
    pthread_rwlock_rdlock(y);
    pthread_rwlock_unlock(y);
    pthread_rwlock_unlock(x);
}
NOBODY_CARES(a) {
    both(&p, &q);
    return unused;
}
NOBODY_CARES(b) {
    both(&q, &p);
    return unused;
}
int main(void) { run2(a, b); return 0; }
