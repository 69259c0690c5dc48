// fails: deadlock
// A signal where a broadcast is needed: if both threads wait already, one is never woken.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t opened = PTHREAD_COND_INITIALIZER;
static int is_open;

static void *enter(void *unused) {
    pthread_mutex_lock(&lock);
    while (!is_open)
        pthread_cond_wait(&opened, &lock);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, enter, NULL);
    pthread_mutex_lock(&lock);
    is_open = 1;
#ifdef FIXED
    pthread_cond_broadcast(&opened);
#else
    pthread_cond_signal(&opened);
#endif
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
