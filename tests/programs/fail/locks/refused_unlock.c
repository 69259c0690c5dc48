#include "../../program.h"
// What a mutex refuses releases nothing: the increments behind it race.
static pthread_mutex_t m;
MUTEX(other);
static int count;
NOBODY_CARES(a) {
    if (U(m) != EPERM)
        abort();
    L(other);
    U(other);
    count++; // expect: race with line 20
    return unused;
}
NOBODY_CARES(b) {
    let_others_run();
    if (U(m) != EPERM)
        abort();
    L(other);
    U(other);
    count++;
    return unused;
}
int main(void) {
    pthread_mutexattr_t kind;
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&m, &kind);
    run2(a, b);
    return count == 0;
}
// fails whenever: nothing
