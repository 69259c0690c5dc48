// The value comes first.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <stdatomic.h>

atomic_int ready, value;

static void *publish(void *unused) {
    atomic_store(&value, 3);
    atomic_store(&ready, 1);
    return unused;
}

static void *read(void *unused) {
    if (atomic_load(&ready))
        assert(atomic_load(&value) == 3);
    return unused;
}

int main(void) {
    pthread_t thread[2];
    pthread_create(&thread[0], NULL, publish, NULL);
    pthread_create(&thread[1], NULL, read, NULL);
    pthread_join(thread[0], NULL);
    pthread_join(thread[1], NULL);
    return 0;
}
