// fails: crash
// A lock-free stack that is pushed to with a store instead of a compare-and-swap: a node is lost.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int top = -1;
static atomic_int next[2];

static void *push(void *argument) {
    int node = (int)(long)argument;
    int old = atomic_load(&top);
#ifdef FIXED
    do
        atomic_store(&next[node], old);
    while (!atomic_compare_exchange_strong(&top, &old, node));
#else
    atomic_store(&next[node], old);
    atomic_store(&top, node);
#endif
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, push, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    int count = 0;
    for (int node = top; node != -1; node = next[node])
        count++;
    assert(count == 2);
    return 0;
}
