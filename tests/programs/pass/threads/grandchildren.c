#include "../../program.h"
static int sum[3];
NOBODY_CARES(leaf) {
    *(int *)unused += 1;
    return NULL;
}
NOBODY_CARES(middle) {
    pthread_t t;
    pthread_create(&t, NULL, leaf, &sum[1]);
    pthread_join(t, NULL);
    sum[2] = sum[1] + 1;
    return unused;
}
int main(void) {
    pthread_t t;
    sum[1] = 5;
    pthread_create(&t, NULL, middle, NULL);
    pthread_join(t, NULL);
    return sum[2] != 7;
}
