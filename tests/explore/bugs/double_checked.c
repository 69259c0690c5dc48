// fails: crash
// Double-checked initialisation that publishes the pointer before the value is there.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int is_there;
static atomic_int value;

static void *use(void *unused) {
    if (!atomic_load(&is_there)) {
        pthread_mutex_lock(&lock);
        if (!atomic_load(&is_there)) {
#ifdef FIXED
            atomic_store(&value, 42);
            atomic_store(&is_there, 1);
#else
            atomic_store(&is_there, 1);
            atomic_store(&value, 42);
#endif
        }
        pthread_mutex_unlock(&lock);
    }
    assert(atomic_load(&value) == 42);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, use, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
