#include "../../program.h"
// A thread that holds the lock for reading wants it for writing.
static int count;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
NOBODY_CARES(a) {
    pthread_rwlock_rdlock(&rw);
    if (count == 0) {
        pthread_rwlock_wrlock(&rw); // expect: deadlock
        count++;
        pthread_rwlock_unlock(&rw);
    }
    pthread_rwlock_unlock(&rw);
    return unused;
}
NOBODY_CARES(b) {
    pthread_rwlock_rdlock(&rw);
    int seen = count;
    pthread_rwlock_unlock(&rw);
    return seen ? NULL : unused;
}
int main(void) { run2(a, b); return 0; }
