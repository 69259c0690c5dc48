// fails: crash
// A sequence lock that the writer makes odd too late: a reader takes half of the new pair for the old one.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_uint sequence;
static atomic_int low, high;

static void *writer(void *unused) {
#ifdef FIXED
    atomic_fetch_add(&sequence, 1);
    atomic_store(&low, 1);
#else
    atomic_store(&low, 1);
    atomic_fetch_add(&sequence, 1);
#endif
    atomic_store(&high, 1);
    atomic_fetch_add(&sequence, 1);
    return unused;
}

static void *reader(void *unused) {
    unsigned before = atomic_load(&sequence);
    if (before % 2 == 0) {
        int one = atomic_load(&low), two = atomic_load(&high);
        if (atomic_load(&sequence) == before)
            assert(one == two);
    }
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, writer, NULL);
    pthread_create(&threads[1], NULL, reader, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
