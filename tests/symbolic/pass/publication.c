// The data comes first.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int ready, data;

static void *consume(void *unused) {
    pthread_mutex_lock(&lock);
    int is_ready = ready;
    pthread_mutex_unlock(&lock);
    if (is_ready) {
        pthread_mutex_lock(&lock);
        int value = data;
        pthread_mutex_unlock(&lock);
        assert(value == 42);
    }
    return unused;
}

static void *publish(void *unused) {
    pthread_mutex_lock(&lock);
    data = 42;
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    ready = 1;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t thread[2];
    pthread_create(&thread[0], NULL, publish, NULL);
    pthread_create(&thread[1], NULL, consume, NULL);
    pthread_join(thread[0], NULL);
    pthread_join(thread[1], NULL);
    return 0;
}
