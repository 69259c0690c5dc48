// fails: crash
// Two threads take money out of an account. The balance is looked at under the lock, and changed under the lock, but the lock
// is given back in between.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int balance = 100;

static void *withdraw(void *unused) {
    pthread_mutex_lock(&lock);
    int enough = balance >= 80;
#ifndef FIXED
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
#endif
    if (enough)
        balance -= 80;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, withdraw, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(balance >= 0);
    return 0;
}
