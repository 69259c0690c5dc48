#include "../../program.h"
// Who is fast prepares the next phase and enters it while who is slow still uses what the last one left.
int data, sum;
static pthread_barrier_t bar;
NOBODY_CARES(fast) {
    pthread_barrier_wait(&bar);
    data = 1; // expect: race with line 13
    pthread_barrier_wait(&bar);
    return unused;
}
NOBODY_CARES(slow) {
    pthread_barrier_wait(&bar);
    sum = data;
    pthread_barrier_wait(&bar);
    return unused;
}
int main(void) {
    pthread_barrier_init(&bar, NULL, 2);
    run2(fast, slow);
    return 0;
}
// fails whenever: nothing
