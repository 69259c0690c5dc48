// fails: crash
// A lock made of a test and a set: both threads find it free.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int held, inside;

static int take(void) {
#ifdef FIXED
    return !atomic_exchange(&held, 1);
#else
    if (atomic_load(&held))
        return 0;
    atomic_store(&held, 1);
    return 1;
#endif
}

static void *enter(void *unused) {
    if (take()) {
        assert(atomic_fetch_add(&inside, 1) == 0);
        atomic_fetch_sub(&inside, 1);
        atomic_store(&held, 0);
    }
    return unused;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, enter, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
