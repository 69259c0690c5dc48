// fails: crash
// A reference is taken to an object whose count was seen above zero, and has become zero since.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int references = 1, freed;

static void release(void) {
    if (atomic_fetch_sub(&references, 1) == 1)
        atomic_store(&freed, 1);
}

static int acquire(void) {
    int seen = atomic_load(&references);
#ifdef FIXED
    while (seen > 0)
        if (atomic_compare_exchange_strong(&references, &seen, seen + 1))
            return 1;
    return 0;
#else
    if (seen == 0)
        return 0;
    atomic_fetch_add(&references, 1);
    return 1;
#endif
}

static void *borrow(void *unused) {
    if (acquire()) {
        assert(!atomic_load(&freed));
        release();
    }
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, borrow, NULL);
    release();
    pthread_join(thread, NULL);
    return 0;
}
