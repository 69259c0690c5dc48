// Both threads may take the last place.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
enum { PLACES = 3 };
int taken = 2;

static void *enter(void *unused) {
    pthread_mutex_lock(&lock);
    int is_free = taken < PLACES;
    pthread_mutex_unlock(&lock);
    if (is_free) {
        pthread_mutex_lock(&lock);
        taken++;
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void) {
    pthread_t thread[2];
    pthread_create(&thread[0], NULL, enter, NULL);
    pthread_create(&thread[1], NULL, enter, NULL);
    pthread_join(thread[0], NULL);
    pthread_join(thread[1], NULL);
    assert(taken <= PLACES); // expect: crash
    return 0;
}
