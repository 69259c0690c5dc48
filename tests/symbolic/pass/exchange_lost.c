// Compare and exchange until it succeeds.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <stdatomic.h>

atomic_int total;

static void *add(void *unused) {
    int seen = atomic_load(&total);
    while (!atomic_compare_exchange_strong(&total, &seen, seen + 5))
        ;
    return unused;
}

int main(void) {
    pthread_t thread[2];
    pthread_create(&thread[0], NULL, add, NULL);
    pthread_create(&thread[1], NULL, add, NULL);
    pthread_join(thread[0], NULL);
    pthread_join(thread[1], NULL);
    assert(atomic_load(&total) == 10);
    return 0;
}
