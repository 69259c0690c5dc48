// fails: crash
// A reference count that is read after it was decremented: both threads think that they are the last, or neither does.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int references = 2;
static atomic_int freed;

static void *release(void *unused) {
#ifdef FIXED
    if (atomic_fetch_sub(&references, 1) == 1)
#else
    atomic_fetch_sub(&references, 1);
    if (atomic_load(&references) == 0)
#endif
        assert(atomic_fetch_add(&freed, 1) == 0);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, release, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(freed == 1);
    return 0;
}
