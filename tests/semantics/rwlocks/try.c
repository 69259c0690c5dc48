// Trying both sides of a lock that is free, read-locked and write-locked.
// t0: start; rdlock m rwlock try; fork t1; join t1; unlock m rwlock; lock m rwlock try; fork t2; join t2
// t0: unlock m rwlock; exit 0
// t1: start; rdlock m rwlock try; unlock m rwlock; flock m rwlock try; end
// t2: start; frdlock m rwlock try; flock m rwlock try; end
#include <errno.h>
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void *while_read(void *arg) {
    if (pthread_rwlock_tryrdlock(&lock) != 0)
        return arg;
    pthread_rwlock_unlock(&lock);
    return pthread_rwlock_trywrlock(&lock) == EBUSY ? 0 : arg;
}

static void *while_written(void *arg) {
    if (pthread_rwlock_tryrdlock(&lock) != EBUSY)
        return arg;
    return pthread_rwlock_trywrlock(&lock) == EBUSY ? 0 : arg;
}

static int run(void *(*routine)(void *)) {
    pthread_t thread;
    void *value;
    pthread_create(&thread, 0, routine, &thread);
    pthread_join(thread, &value);
    return value == 0;
}

int main(void) {
    if (pthread_rwlock_tryrdlock(&lock) != 0 || !run(while_read))
        return 1;
    pthread_rwlock_unlock(&lock);
    if (pthread_rwlock_trywrlock(&lock) != 0 || !run(while_written))
        return 2;
    pthread_rwlock_unlock(&lock);
    return 0;
}
