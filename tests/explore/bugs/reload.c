// fails: race
// A configuration is replaced and the old one freed, while a reader that has its address still reads it.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static _Atomic(int *) settings;
static atomic_int asked;

static void *reload(void *unused) {
    if (!atomic_load(&asked))
        return unused;
    int *fresh = malloc(sizeof *fresh);
    *fresh = 2;
#ifdef FIXED
    pthread_rwlock_wrlock(&lock);
#endif
    free(atomic_exchange(&settings, fresh));
#ifdef FIXED
    pthread_rwlock_unlock(&lock);
#endif
    return unused;
}

int main(void) {
    pthread_t thread;
    int *first = malloc(sizeof *first);
    *first = 1;
    atomic_store(&settings, first);
    pthread_create(&thread, NULL, reload, NULL);
    atomic_store(&asked, 1);
#ifdef FIXED
    pthread_rwlock_rdlock(&lock);
#endif
    volatile int value = *atomic_load(&settings);
    (void)value;
#ifdef FIXED
    pthread_rwlock_unlock(&lock);
#endif
    atomic_store(&asked, 0);
    pthread_join(thread, NULL);
    free(atomic_load(&settings));
    return 0;
}
