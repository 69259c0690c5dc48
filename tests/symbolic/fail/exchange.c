// Between the two halves of the exchange both are equal.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int left = 1, right = 2;

static void *look(void *unused) {
    pthread_mutex_lock(&lock);
    assert(left != right); // expect: crash
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *exchange(void *unused) {
    pthread_mutex_lock(&lock);
    int old = left;
    left = right;
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    right = old;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t thread[2];
    pthread_create(&thread[0], NULL, look, NULL);
    pthread_create(&thread[1], NULL, exchange, NULL);
    pthread_join(thread[0], NULL);
    pthread_join(thread[1], NULL);
    return 0;
}
