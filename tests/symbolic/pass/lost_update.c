// One critical section for each update.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int balance = 100;

static void *deposit(void *unused) {
    pthread_mutex_lock(&lock);
    int seen = balance;
    balance = seen + 10;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t thread[2];
    pthread_create(&thread[0], NULL, deposit, NULL);
    pthread_create(&thread[1], NULL, deposit, NULL);
    pthread_join(thread[0], NULL);
    pthread_join(thread[1], NULL);
    assert(balance == 120);
    return 0;
}
