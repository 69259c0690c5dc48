// fails: crash
// A circular buffer: with `if` instead of `while`, a consumer that was woken finds that another was faster.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static int count;

static void *consume(void *unused) {
    pthread_mutex_lock(&lock);
#ifdef FIXED
    while (count == 0)
#else
    if (count == 0)
#endif
        pthread_cond_wait(&filled, &lock);
    count--;
    assert(count >= 0);
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *produce(void *unused) {
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&lock);
        count++;
        pthread_cond_signal(&filled);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void) {
    pthread_t threads[3];
    pthread_create(&threads[0], NULL, consume, NULL);
    pthread_create(&threads[1], NULL, consume, NULL);
    pthread_create(&threads[2], NULL, produce, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
