#include "../../program.h"
// Apart in time, with the locks passed as arguments.
MUTEX(m);
MUTEX(n);
static void both(pthread_mutex_t *x, pthread_mutex_t *y) {
    pthread_mutex_lock(x);
    pthread_mutex_lock(y); // expect: deadlock
    pthread_mutex_unlock(y);
    pthread_mutex_unlock(x);
}
NOBODY_CARES(a) {
    both(&m, &n);
    return unused;
}
NOBODY_CARES(b) {
    let_others_run();
    both(&n, &m);
    return unused;
}
int main(void) { run2(a, b); return 0; }
// fails whenever: 6 before 7, 6 before 7
