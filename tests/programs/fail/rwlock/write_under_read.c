#include "../../program.h"
static int value;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
NOBODY_CARES(a) {
    pthread_rwlock_rdlock(&rw);
    value++; // expect: race
    pthread_rwlock_unlock(&rw);
    return unused;
}
int main(void) { run2(a, a); return 0; }
// fails whenever: nothing
