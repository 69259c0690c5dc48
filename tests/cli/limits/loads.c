// Two threads make 2.5 million atomic loads that are no polling: each is of another variable than those before it.
#include <pthread.h>
#include <stdatomic.h>
static atomic_long variables[16];
static void *work(void *sum) {
    for (long i = 0; i < 1250000; i++) {
        *(long *)sum += atomic_load(&variables[i % 11]);
        if (i % 100000 == 0) atomic_fetch_add(&variables[i % 16], 1);
    }
    return sum;
}
int main(void) {
    long sums[2] = {0};
    pthread_t a, b;
    pthread_create(&a, NULL, work, &sums[0]);
    pthread_create(&b, NULL, work, &sums[1]);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
