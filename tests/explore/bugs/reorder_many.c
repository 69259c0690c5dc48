// fails: crash
// A pair is written in the wrong order, among twenty threads that have nothing to do with it.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { OTHERS = 18 };
static atomic_int data, flag, own[OTHERS];

static void *set(void *unused) {
#ifdef FIXED
    atomic_store(&data, 1);
    atomic_store(&flag, 1);
#else
    atomic_store(&flag, 1);
    atomic_store(&data, 1);
#endif
    return unused;
}

static void *check(void *unused) {
    if (atomic_load(&flag))
        assert(atomic_load(&data));
    return unused;
}

static void *other(void *argument) {
    atomic_store(&own[(long)argument], 1);
    return NULL;
}

int main(void) {
    pthread_t threads[OTHERS + 2];
    pthread_create(&threads[OTHERS], NULL, set, NULL);
    for (long i = 0; i < OTHERS; i++)
        pthread_create(&threads[i], NULL, other, (void *)i);
    pthread_create(&threads[OTHERS + 1], NULL, check, NULL);
    for (int i = 0; i < OTHERS + 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
