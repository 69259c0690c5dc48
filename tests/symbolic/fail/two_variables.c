// The sum of both accounts is wrong between the two critical sections.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int first = 60, second = 40;

static void *audit(void *unused) {
    pthread_mutex_lock(&lock);
    int sum = first + second;
    pthread_mutex_unlock(&lock);
    assert(sum == 100); // expect: crash
    return unused;
}

static void *move(void *unused) {
    pthread_mutex_lock(&lock);
    first -= 30;
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    second += 30;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t thread[2];
    pthread_create(&thread[0], NULL, audit, NULL);
    pthread_create(&thread[1], NULL, move, NULL);
    pthread_join(thread[0], NULL);
    pthread_join(thread[1], NULL);
    return 0;
}
