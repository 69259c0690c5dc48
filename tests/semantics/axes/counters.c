// Two threads that change one counter under a lock and another one without it, and wait for each other's condition.
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int guarded, racy;
static atomic_int rounds;

static void *work(void *arg) {
    pthread_mutex_lock(&mutex);
    guarded++;
    while (guarded < 2)
        pthread_cond_wait(&changed, &mutex);
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
    atomic_fetch_add_explicit(&rounds, 1, memory_order_relaxed);
    racy++;
    return arg;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, work, 0);
    pthread_create(&two, 0, work, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    return guarded - 2;
}
