#include "../../program.h"
static pthread_rwlock_t p = PTHREAD_RWLOCK_INITIALIZER;
static pthread_rwlock_t q = PTHREAD_RWLOCK_INITIALIZER;
NOBODY_CARES(a) {
    pthread_rwlock_rdlock(&p);
    pthread_rwlock_wrlock(&q); // expect: deadlock
    pthread_rwlock_unlock(&q);
    pthread_rwlock_unlock(&p);
    return unused;
}
NOBODY_CARES(b) {
    let_others_run();
    pthread_rwlock_rdlock(&q);
    pthread_rwlock_wrlock(&p);
    pthread_rwlock_unlock(&p);
    pthread_rwlock_unlock(&q);
    return unused;
}
int main(void) { run2(a, b); return 0; }
// fails whenever: 5 before 14, 13 before 6
