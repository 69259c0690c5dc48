// Two waiters, one broadcast; a signal that nobody waits for.
// t0: start; sem_init s 0; fork t1; fork t2; sem_wait s; sem_wait s; lock m; unlock m; broadcast c; join t1; join t2
// t0: signal c; exit 0
// t1: start; lock m; sem_post s; unlock m; wait c m; lock m; unlock m; end
// t2: start; lock m; sem_post s; unlock m; wait c m; lock m; unlock m; end
#include <pthread.h>
#include <semaphore.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static sem_t locked;
static int ready;

static void *work(void *arg) {
    pthread_mutex_lock(&mutex);
    sem_post(&locked);
    while (!ready)
        pthread_cond_wait(&cond, &mutex);
    pthread_mutex_unlock(&mutex);
    return arg;
}

int main(void) {
    pthread_t threads[2];
    sem_init(&locked, 0, 0);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], 0, work, 0);
    for (int i = 0; i < 2; i++)
        sem_wait(&locked);
    pthread_mutex_lock(&mutex);
    ready = 1;
    pthread_mutex_unlock(&mutex);
    pthread_cond_broadcast(&cond);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], 0);
    pthread_cond_signal(&cond);
    return 0;
}
