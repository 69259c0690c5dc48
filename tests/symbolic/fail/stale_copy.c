// A copy of the limit is used after the limit has changed.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int limit = 10, used;

static void *use(void *unused) {
    pthread_mutex_lock(&lock);
    int copy = limit;
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    if (used + 8 <= copy)
        used += 8;
    assert(used <= limit); // expect: crash
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *lower(void *unused) {
    pthread_mutex_lock(&lock);
    if (used <= 5)
        limit = 5;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t thread[2];
    pthread_create(&thread[0], NULL, use, NULL);
    pthread_create(&thread[1], NULL, lower, NULL);
    pthread_join(thread[0], NULL);
    pthread_join(thread[1], NULL);
    return 0;
}
