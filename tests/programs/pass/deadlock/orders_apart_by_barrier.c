#include "../../program.h"
// mul-lockorders: the two orders are separated by a barrier.
MUTEX(m);
MUTEX(n);
static pthread_barrier_t bar;
NOBODY_CARES(a) {
    L(m);
    L(n);
    U(n);
    U(m);
    pthread_barrier_wait(&bar);
    return unused;
}
NOBODY_CARES(b) {
    pthread_barrier_wait(&bar);
    L(n);
    L(m);
    U(m);
    U(n);
    return unused;
}
int main(void) {
    pthread_barrier_init(&bar, NULL, 2);
    run2(a, b);
    return 0;
}
