#include "../../program.h"
static int value;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
NOBODY_CARES(a) {
    pthread_rwlock_wrlock(&rw);
    value++; // expect: race with line 11
    pthread_rwlock_unlock(&rw);
    return unused;
}
NOBODY_CARES(b) {
    int got = pthread_rwlock_tryrdlock(&rw) == 0, seen = value;
    if (got)
        pthread_rwlock_unlock(&rw);
    return seen < 0 ? NULL : unused;
}
int main(void) { run2(a, b); return 0; }
