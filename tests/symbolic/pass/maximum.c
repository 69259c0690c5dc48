// Comparing and setting are one critical section.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int maximum;

static void offer(int value) {
    pthread_mutex_lock(&lock);
    if (value > maximum)
        maximum = value;
    pthread_mutex_unlock(&lock);
}

static void *seven(void *unused) {
    offer(7);
    return unused;
}

static void *nine(void *unused) {
    offer(9);
    return unused;
}

int main(void) {
    pthread_t thread[2];
    pthread_create(&thread[0], NULL, seven, NULL);
    pthread_create(&thread[1], NULL, nine, NULL);
    pthread_join(thread[0], NULL);
    pthread_join(thread[1], NULL);
    assert(maximum == 9);
    return 0;
}
