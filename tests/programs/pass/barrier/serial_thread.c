#include "../../program.h"
// Only one of them is told that it is the serial thread.
static int sum;
static pthread_barrier_t bar;
NOBODY_CARES(a) {
    if (pthread_barrier_wait(&bar) == PTHREAD_BARRIER_SERIAL_THREAD)
        sum++;
    pthread_barrier_wait(&bar);
    return sum == 1 ? unused : NULL;
}
int main(void) {
    pthread_barrier_init(&bar, NULL, 2);
    run2(a, a);
    return sum != 1;
}
