#include "../../program.h"
static int data[2], sum[2];
static pthread_barrier_t bar;
static void phases(int me) {
    for (int i = 0; i < 3; i++) {
        data[me] = i;
        pthread_barrier_wait(&bar);
        sum[me] += data[1 - me];
        pthread_barrier_wait(&bar);
    }
}
NOBODY_CARES(a) {
    phases(0);
    return unused;
}
NOBODY_CARES(b) {
    phases(1);
    return unused;
}
int main(void) {
    pthread_barrier_init(&bar, NULL, 2);
    run2(a, b);
    return sum[0] != 3;
}
