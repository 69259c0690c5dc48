// A thread is cancelled while it waits on a condition variable: it has the mutex again when its clean-up runs.
// t0: start; barrier_init b 2; fork t1; barrier_enter b; barrier_exit b; lock m; unlock m; join t1; exit 0
// t1: start; lock m; barrier_enter b; barrier_exit b; unlock m; fwait c m; lock m; unlock m; end
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t inside;

static void release(void *arg) { pthread_mutex_unlock(arg); }

static void *work(void *arg) {
    pthread_mutex_lock(&mutex);
    pthread_cleanup_push(release, &mutex);
    pthread_barrier_wait(&inside);
    for (;;)
        pthread_cond_wait(&cond, &mutex);
    pthread_cleanup_pop(0);
    return arg;
}

int main(void) {
    pthread_t thread;
    void *value = 0;
    pthread_barrier_init(&inside, 0, 2);
    pthread_create(&thread, 0, work, 0);
    pthread_barrier_wait(&inside);
    // Once the mutex is free, the thread waits.
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    pthread_cancel(thread);
    pthread_join(thread, &value);
    return value != PTHREAD_CANCELED;
}
