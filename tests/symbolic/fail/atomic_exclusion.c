// Both threads may look before one of them has entered.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <stdatomic.h>

atomic_int inside, entered;

static void *enter(void *unused) {
    if (!atomic_load(&inside)) {
        atomic_store(&inside, 1);
        int others = atomic_fetch_add(&entered, 1);
        assert(others == 0); // expect: crash
    }
    return unused;
}

int main(void) {
    pthread_t thread[2];
    pthread_create(&thread[0], NULL, enter, NULL);
    pthread_create(&thread[1], NULL, enter, NULL);
    pthread_join(thread[0], NULL);
    pthread_join(thread[1], NULL);
    return 0;
}
