#include "../../program.h"
#include <limits.h>
// Releases that fail and are handled, of every kind, and behind them locks in opposite orders. The holder of a lock that
// another could not release still holds it.
static pthread_mutex_t robust, checking;
MUTEX(m);
COND(c);
static sem_t full;
static void refused(void) {
    struct timespec never = {0, -1};
    pthread_attr_t huge;
    pthread_t nobody;
    pthread_attr_init(&huge);
    pthread_attr_setstacksize(&huge, (size_t)1 << 46);
    if (U(robust) != EPERM || pthread_cond_wait(&c, &checking) != EPERM || sem_post(&full) == 0)
        abort();
    if (pthread_cond_timedwait(&c, &m, &never) != EINVAL || pthread_create(&nobody, &huge, NULL, NULL) == 0)
        abort();
}
NOBODY_CARES(a) {
    L(m);
    refused();
    L(checking); // expect: deadlock
    U(checking);
    U(m);
    return unused;
}
NOBODY_CARES(b) {
    let_others_run();
    L(checking);
    L(m); // expect: deadlock
    U(m);
    U(checking);
    return unused;
}
int main(void) {
    pthread_mutexattr_t kind;
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&checking, &kind);
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_NORMAL);
    pthread_mutexattr_setrobust(&kind, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&robust, &kind);
    sem_init(&full, 0, INT_MAX);
    run2(a, b);
    return 0;
}
// fails whenever: 21 before 31, 30 before 23
