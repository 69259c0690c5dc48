// fails: crash
// Lazy initialisation without a second look under the lock: two threads initialise.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int is_there;
static int initialised;

static void *use(void *unused) {
    if (!atomic_load(&is_there)) {
        pthread_mutex_lock(&lock);
#ifdef FIXED
        if (!atomic_load(&is_there))
#endif
            initialised++;
        atomic_store(&is_there, 1);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void) {
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, use, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    assert(initialised == 1);
    return 0;
}
