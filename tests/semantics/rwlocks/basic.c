// Readers together, a writer alone; the lock is initialised and destroyed.
// t0: start; lock_init m rwlock; fork t1; join t1; rdlock m rwlock; rdlock m rwlock; unlock m rwlock; unlock m rwlock
// t0: lock_destroy m; exit 0
// t1: start; rdlock m rwlock; unlock m rwlock; lock m rwlock; unlock m rwlock; end
#include <pthread.h>

static pthread_rwlock_t lock;

static void *work(void *arg) {
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_unlock(&lock);
    pthread_rwlock_wrlock(&lock);
    pthread_rwlock_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_rwlock_init(&lock, 0);
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_unlock(&lock);
    pthread_rwlock_unlock(&lock);
    pthread_rwlock_destroy(&lock);
    return 0;
}
