// A lock for reading is given back before the one for writing is taken.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_rwlock_t guard = PTHREAD_RWLOCK_INITIALIZER;
int free_places = 1;

static void *take(void *unused) {
    pthread_rwlock_rdlock(&guard);
    int is_free = free_places > 0;
    pthread_rwlock_unlock(&guard);
    if (is_free) {
        pthread_rwlock_wrlock(&guard);
        free_places--;
        assert(free_places >= 0); // expect: crash
        pthread_rwlock_unlock(&guard);
    }
    return unused;
}

int main(void) {
    pthread_t thread[2];
    pthread_create(&thread[0], NULL, take, NULL);
    pthread_create(&thread[1], NULL, take, NULL);
    pthread_join(thread[0], NULL);
    pthread_join(thread[1], NULL);
    return 0;
}
