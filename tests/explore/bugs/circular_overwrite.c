// fails: crash
// A circular buffer with one place: two producers find it free one after the other, and then both write to it.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int is_full, lost;

static void *produce(void *unused) {
    pthread_mutex_lock(&lock);
    int is_free = !is_full;
#ifndef FIXED
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
#endif
    if (is_free) {
        lost += is_full;
        is_full = 1;
    }
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, produce, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    assert(lost == 0);
    return 0;
}
