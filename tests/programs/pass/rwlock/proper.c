#include "../../program.h"
static int value;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
NOBODY_CARES(a) {
    pthread_rwlock_wrlock(&rw);
    value++;
    pthread_rwlock_unlock(&rw);
    return unused;
}
NOBODY_CARES(b) {
    pthread_rwlock_rdlock(&rw);
    int seen = value;
    pthread_rwlock_unlock(&rw);
    return seen < 0 ? NULL : unused;
}
int main(void) { run3(a, b, b); return 0; }
