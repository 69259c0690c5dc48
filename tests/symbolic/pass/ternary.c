// One critical section.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int a = 3, b = 5;

static void *look(void *unused) {
    pthread_mutex_lock(&lock);
    int smaller = a < b ? a : b;
    assert(smaller <= b);
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *lower(void *unused) {
    pthread_mutex_lock(&lock);
    b = 1;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t thread[2];
    pthread_create(&thread[0], NULL, look, NULL);
    pthread_create(&thread[1], NULL, lower, NULL);
    pthread_join(thread[0], NULL);
    pthread_join(thread[1], NULL);
    return 0;
}
