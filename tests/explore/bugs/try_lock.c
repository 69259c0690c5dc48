// fails: crash
// A thread that does not get the lock at once goes on without it.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int inside;

static void *work(void *unused) {
#ifdef FIXED
    if (pthread_mutex_trylock(&lock) != 0)
        return unused;
    int taken = 1;
#else
    int taken = pthread_mutex_trylock(&lock) == 0;
#endif
    assert(atomic_fetch_add(&inside, 1) == 0);
    atomic_fetch_sub(&inside, 1);
    if (taken)
        pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
