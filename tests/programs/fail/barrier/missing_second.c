#include "../../program.h"
// One barrier is not enough where data goes both ways.
int data[2], sum;
static pthread_barrier_t bar;
NOBODY_CARES(a) {
    data[0] = 1;
    pthread_barrier_wait(&bar);
    data[0] = 2; // expect: race with line 15
    return unused;
}
NOBODY_CARES(b) {
    data[1] = 1;
    pthread_barrier_wait(&bar);
    let_others_run();
    sum = data[0];
    return unused;
}
int main(void) {
    pthread_barrier_init(&bar, NULL, 2);
    run2(a, b);
    return 0;
}
// fails whenever: nothing
