// A recursive mutex: each level is locked and unlocked, tried and timed.
// t0: start; lock_init m recursive; fork t1; join t1; lock_destroy m; exit 0
// t1: start; lock m recursive; lock m recursive; lock m recursive try; lock m recursive timed; unlock m recursive
// t1: unlock m recursive; unlock m recursive; unlock m recursive; end
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t mutex;

static void *work(void *arg) {
    struct timespec future;
    clock_gettime(CLOCK_REALTIME, &future);
    future.tv_sec += 100;
    pthread_mutex_lock(&mutex);
    pthread_mutex_lock(&mutex);
    if (pthread_mutex_trylock(&mutex) != 0)
        return arg;
    if (pthread_mutex_timedlock(&mutex, &future) != 0)
        return arg;
    for (int i = 0; i < 4; i++)
        pthread_mutex_unlock(&mutex);
    return pthread_mutex_unlock(&mutex) == EPERM ? 0 : arg;
}

int main(void) {
    pthread_t thread;
    void *value;
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&mutex, &attributes);
    pthread_create(&thread, 0, work, &thread);
    pthread_join(thread, &value);
    pthread_mutex_destroy(&mutex);
    return value != 0;
}
