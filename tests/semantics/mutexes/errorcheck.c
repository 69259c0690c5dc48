// A mutex that knows its owner: locking again, unlocking what is not locked and destroying what is are errors, and
// errors leave no trace.
// t0: start; lock_init m errorcheck; lock m errorcheck; fork t1; join t1; unlock m errorcheck; lock_destroy m; exit 0
// t1: start; end
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t mutex;

static void *work(void *arg) { return pthread_mutex_unlock(&mutex) == EPERM ? 0 : arg; }

int main(void) {
    pthread_t thread;
    void *value;
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&mutex, &attributes);
    pthread_mutex_lock(&mutex);
    pthread_create(&thread, 0, work, &thread);
    pthread_join(thread, &value);
    if (pthread_mutex_lock(&mutex) != EDEADLK)
        return 1;
    if (pthread_mutex_destroy(&mutex) != EBUSY)
        return 2;
    pthread_mutex_unlock(&mutex);
    if (pthread_mutex_unlock(&mutex) != EPERM)
        return 3;
    pthread_mutex_destroy(&mutex);
    return value != 0;
}
