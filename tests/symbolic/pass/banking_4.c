// The same with one critical section for each payment.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
int account[2];

static void *pay(void *number) {
    int to = (int)(long)number % 2;
    pthread_mutex_lock(&lock[to]);
    account[to] += 1;
    pthread_mutex_unlock(&lock[to]);
    return NULL;
}

int main(void) {
    enum { THREADS = 4 };
    pthread_t thread[THREADS];
    for (long at = 0; at < THREADS; at++)
        pthread_create(&thread[at], NULL, pay, (void *)at);
    for (int at = 0; at < THREADS; at++)
        pthread_join(thread[at], NULL);
    assert(account[0] + account[1] == THREADS);
    return 0;
}
