// The balance is checked in one critical section, and withdrawn from in another.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int balance = 100;

static void *withdraw(void *unused) {
    pthread_mutex_lock(&lock);
    int enough = balance >= 80;
    pthread_mutex_unlock(&lock);
    if (enough) {
        pthread_mutex_lock(&lock);
        balance -= 80;
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void) {
    pthread_t thread[2];
    pthread_create(&thread[0], NULL, withdraw, NULL);
    pthread_create(&thread[1], NULL, withdraw, NULL);
    pthread_join(thread[0], NULL);
    pthread_join(thread[1], NULL);
    assert(balance >= 0); // expect: crash
    return 0;
}
