#include "../../program.h"
static int count;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
NOBODY_CARES(a) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    t.tv_sec += 5;
    if (pthread_rwlock_clockwrlock(&rw, CLOCK_MONOTONIC, &t) == 0) {
        count++;
        pthread_rwlock_unlock(&rw);
    }
    return unused;
}
int main(void) { run2(a, a); return count != 2; }
