// fails: crash
// A work stealing queue: the owner takes the last item from the bottom while a thief takes it from the top.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int top, bottom = 1;
static atomic_int taken;

static void *owner(void *unused) {
    int last = atomic_load(&bottom) - 1;
    atomic_store(&bottom, last);
    int first = atomic_load(&top);
    if (first < last) {
        atomic_fetch_add(&taken, 1);
    } else if (first == last) {
#ifdef FIXED
        if (atomic_compare_exchange_strong(&top, &first, first + 1))
            atomic_fetch_add(&taken, 1);
#else
        atomic_fetch_add(&taken, 1);
        atomic_store(&top, first + 1);
#endif
    }
    return unused;
}

static void *thief(void *unused) {
    int first = atomic_load(&top);
    if (first < atomic_load(&bottom) && atomic_compare_exchange_strong(&top, &first, first + 1))
        atomic_fetch_add(&taken, 1);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, owner, NULL);
    pthread_create(&threads[1], NULL, thief, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(taken <= 1);
    return 0;
}
