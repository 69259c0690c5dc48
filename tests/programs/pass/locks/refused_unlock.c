#include "../../program.h"
// A mutex that knows its owner refuses to be unlocked by another thread, which takes it instead.
static pthread_mutex_t m;
static int count;
NOBODY_CARES(a) {
    L(m);
    let_others_run();
    count++;
    U(m);
    return unused;
}
NOBODY_CARES(b) {
    if (U(m) != EPERM)
        abort();
    L(m);
    count++;
    U(m);
    return unused;
}
int main(void) {
    pthread_mutexattr_t kind;
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&m, &kind);
    run2(a, b);
    return count != 2;
}
