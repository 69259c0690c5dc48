// fails: deadlock
// A thread that finds a flag set waits while it holds an outer lock, which the one that would wake it needs.
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t outer = PTHREAD_MUTEX_INITIALIZER, inner = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t free_again = PTHREAD_COND_INITIALIZER;
static int busy;

static void *use(void *unused) {
    pthread_mutex_lock(&outer);
    pthread_mutex_lock(&inner);
    while (busy)
        pthread_cond_wait(&free_again, &inner);
    busy = 1;
    pthread_mutex_unlock(&inner);
    pthread_mutex_unlock(&outer);
#ifndef FIXED
    pthread_mutex_lock(&outer);
#endif
    pthread_mutex_lock(&inner);
    busy = 0;
    pthread_cond_signal(&free_again);
    pthread_mutex_unlock(&inner);
#ifndef FIXED
    pthread_mutex_unlock(&outer);
#endif
    return unused;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, use, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
