// Both threads may see that the count is zero, or neither.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int count = 2, freed;

static void *drop(void *unused) {
    pthread_mutex_lock(&lock);
    count--;
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    int left = count;
    pthread_mutex_unlock(&lock);
    if (left == 0) {
        pthread_mutex_lock(&lock);
        freed++;
        assert(freed == 1); // expect: crash
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void) {
    pthread_t thread[2];
    pthread_create(&thread[0], NULL, drop, NULL);
    pthread_create(&thread[1], NULL, drop, NULL);
    pthread_join(thread[0], NULL);
    pthread_join(thread[1], NULL);
    return 0;
}
