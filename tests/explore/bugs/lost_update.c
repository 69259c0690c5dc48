// fails: crash
// A counter is made of atomic loads and stores, and an update is lost.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int counter;

static void *increment(void *unused) {
#ifdef FIXED
    atomic_fetch_add(&counter, 1);
#else
    atomic_store(&counter, atomic_load(&counter) + 1);
#endif
    return unused;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, increment, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(counter == 2);
    return 0;
}
