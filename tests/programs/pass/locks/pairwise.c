#include "../../program.h"
// No lock is common to all, but every two accesses share one.
static int count;
MUTEX(m);
MUTEX(n);
MUTEX(o);
static void two(pthread_mutex_t *x, pthread_mutex_t *y) {
    pthread_mutex_lock(x);
    pthread_mutex_lock(y);
    count++;
    pthread_mutex_unlock(y);
    pthread_mutex_unlock(x);
}
NOBODY_CARES(a) {
    two(&m, &n);
    return unused;
}
NOBODY_CARES(b) {
    two(&n, &o);
    return unused;
}
NOBODY_CARES(c) {
    two(&m, &o);
    return unused;
}
int main(void) { run3(a, b, c); return count != 3; }
