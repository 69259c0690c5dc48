#include "../../program.h"
// Three threads, two locks each: every two of them share one. The last access has a lock that the first one lacks.
static int count;
MUTEX(m);
MUTEX(n);
MUTEX(o);
static void two(pthread_mutex_t *x, pthread_mutex_t *y) {
    pthread_mutex_lock(x);
    pthread_mutex_lock(y);
    count++; // expect: race with line 23
    pthread_mutex_unlock(y);
    pthread_mutex_unlock(x);
}
NOBODY_CARES(a) {
    two(&m, &n);
    return unused;
}
NOBODY_CARES(b) {
    two(&n, &o);
    two(&m, &o);
    L(o);
    let_others_run();
    count++;
    U(o);
    return unused;
}
int main(void) { run2(a, b); return 0; }
// fails whenever: 8 before 8
