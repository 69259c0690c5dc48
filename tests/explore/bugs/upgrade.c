// fails: crash
// A reader gives its lock back to become a writer, and does not look again at what it has read.
#include <assert.h>
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int entries;

static void *insert(void *unused) {
    pthread_rwlock_rdlock(&lock);
    int is_missing = entries == 0;
    pthread_rwlock_unlock(&lock);
    if (is_missing) {
        pthread_rwlock_wrlock(&lock);
#ifdef FIXED
        if (entries == 0)
#endif
            entries++;
        pthread_rwlock_unlock(&lock);
    }
    return unused;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, insert, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(entries == 1);
    return 0;
}
