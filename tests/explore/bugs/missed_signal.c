// fails: deadlock
// The waiter looks at the flag before it takes the lock, so the signal may come before the wait.
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
static atomic_int done;

static void *worker(void *unused) {
#ifdef FIXED
    pthread_mutex_lock(&lock);
    atomic_store(&done, 1);
    pthread_cond_signal(&ready);
    pthread_mutex_unlock(&lock);
#else
    atomic_store(&done, 1);
    pthread_cond_signal(&ready);
#endif
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    pthread_mutex_lock(&lock);
    while (!atomic_load(&done))
        pthread_cond_wait(&ready, &lock);
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    return 0;
}
