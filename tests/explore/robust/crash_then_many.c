// The first order fails, and there are more orders than a short search can run.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define THREADS 8

static atomic_int ready, sum;

static void *adds(void *argument) {
    for (int i = 0; i < 4; i++)
        sum = sum + (int)(long)argument;
    return 0;
}

static void *looks(void *argument) {
    (void)argument;
    assert(atomic_load(&ready) == 0);
    return 0;
}

int main(void) {
    pthread_t threads[THREADS], looker;
    pthread_create(&looker, 0, looks, 0);
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], 0, adds, (void *)i);
    atomic_store(&ready, 1);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], 0);
    pthread_join(looker, 0);
    return 0;
}
