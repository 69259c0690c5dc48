// Table 1 of Wang et al., banking: each of THREADS threads pays into one account; with ERROR, the first two read it in one
// critical section and write it in the next.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int balance;

static void *pay(void *number) {
    pthread_mutex_lock(&m);
    int seen = balance;
#ifdef ERROR
    if ((long)number < 2) {
        pthread_mutex_unlock(&m);
        pthread_mutex_lock(&m);
    }
#endif
    balance = seen + 10;
    pthread_mutex_unlock(&m);
    return number;
}

int main(void) {
    pthread_t threads[THREADS];
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], 0, pay, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], 0);
    assert(balance == 10 * THREADS);
    return 0;
}
