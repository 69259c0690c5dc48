// A thread ends by pthread_exit, deep in a call, and its clean-up handlers and destructors run.
// t0: start; fork t1; join t1; exit 0
// t1: start; lock m; unlock m; lock m2; unlock m2; end
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t last = PTHREAD_MUTEX_INITIALIZER;
static pthread_key_t key;

static void release(void *arg) { pthread_mutex_unlock(arg); }

static void destroy(void *arg) {
    pthread_mutex_lock(arg);
    pthread_mutex_unlock(arg);
}

static void leave(void) { pthread_exit(&mutex); }

static void *work(void *arg) {
    pthread_setspecific(key, &last);
    pthread_mutex_lock(&mutex);
    pthread_cleanup_push(release, &mutex);
    leave();
    pthread_cleanup_pop(0);
    return arg;
}

int main(void) {
    pthread_t thread;
    void *value = 0;
    pthread_key_create(&key, destroy);
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, &value);
    return value != &mutex;
}
