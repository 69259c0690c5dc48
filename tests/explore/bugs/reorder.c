// fails: crash
// Several setters write a and then b; a checker that runs between the two sees one without the other.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { SETTERS = 3 };
static atomic_int a, b;

static void *set(void *unused) {
#ifdef FIXED
    atomic_store(&b, -1);
    atomic_store(&a, 1);
#else
    atomic_store(&a, 1);
    atomic_store(&b, -1);
#endif
    return unused;
}

static void *check(void *unused) {
    int one = atomic_load(&a);
    int two = atomic_load(&b);
    assert(one == 0 || two == -1);
    return unused;
}

int main(void) {
    pthread_t threads[SETTERS + 1];
    for (int i = 0; i < SETTERS; i++)
        pthread_create(&threads[i], NULL, set, NULL);
    pthread_create(&threads[SETTERS], NULL, check, NULL);
    for (int i = 0; i <= SETTERS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
