// fails: crash
// A queue with a lock for each end: both ends change the count, and reading and writing it are two steps.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t head_lock = PTHREAD_MUTEX_INITIALIZER, tail_lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int count = 1;
static int items[4] = {1}, head, tail = 1;

static void add(int change) {
#ifdef FIXED
    atomic_fetch_add(&count, change);
#else
    int old = atomic_load(&count);
    atomic_store(&count, old + change);
#endif
}

static void *enqueue(void *unused) {
    pthread_mutex_lock(&tail_lock);
    items[tail++] = 2;
    add(1);
    pthread_mutex_unlock(&tail_lock);
    return unused;
}

static void *dequeue(void *unused) {
    pthread_mutex_lock(&head_lock);
    head++;
    add(-1);
    pthread_mutex_unlock(&head_lock);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, enqueue, NULL);
    pthread_create(&threads[1], NULL, dequeue, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(count == tail - head);
    return 0;
}
