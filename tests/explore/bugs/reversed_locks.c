// fails: deadlock
// Locks are taken in the other order only by a thread that sees that maintenance has begun.
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t table = PTHREAD_MUTEX_INITIALIZER, journal = PTHREAD_MUTEX_INITIALIZER;
static atomic_int maintenance;

static void both(pthread_mutex_t *first, pthread_mutex_t *second) {
    pthread_mutex_lock(first);
    pthread_mutex_lock(second);
    pthread_mutex_unlock(second);
    pthread_mutex_unlock(first);
}

static void *update(void *unused) {
    if (atomic_load(&maintenance)) {
#ifdef FIXED
        both(&table, &journal);
#else
        both(&journal, &table);
#endif
    }
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, update, NULL);
    atomic_store(&maintenance, 1);
    both(&table, &journal);
    atomic_store(&maintenance, 0);
    pthread_join(thread, NULL);
    return 0;
}
