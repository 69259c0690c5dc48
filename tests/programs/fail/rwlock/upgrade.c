#include "../../program.h"
// A reader that wants to write while it reads waits for itself, and for the other reader that does the same.
static int value;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
MUTEX(m);
NOBODY_CARES(a) {
    pthread_rwlock_rdlock(&rw);
    L(m); // expect: deadlock
    U(m);
    pthread_rwlock_unlock(&rw);
    return unused;
}
NOBODY_CARES(b) {
    let_others_run();
    L(m);
    pthread_rwlock_wrlock(&rw);
    value++;
    pthread_rwlock_unlock(&rw);
    U(m);
    return unused;
}
int main(void) { run2(a, b); return 0; }
// fails whenever: 7 before 16, 15 before 8
