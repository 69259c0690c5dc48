// flags: -D_GNU_SOURCE
// Timed waits that are signalled in time.
// t0: start; sem_init s 0; fork t1; sem_wait s; lock m; signal c; unlock m; join t1; exit 0
// t1: start; lock m; sem_post s; unlock m; wait c m; lock m; unlock m; end
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static sem_t locked;
static int ready;

static void *work(void *arg) {
    struct timespec future;
    pthread_mutex_lock(&mutex);
    sem_post(&locked);
    clock_gettime(CLOCK_MONOTONIC, &future);
    future.tv_sec += 100;
    while (!ready)
        pthread_cond_clockwait(&cond, &mutex, CLOCK_MONOTONIC, &future);
    pthread_mutex_unlock(&mutex);
    return arg;
}

int main(void) {
    pthread_t thread;
    sem_init(&locked, 0, 0);
    pthread_create(&thread, 0, work, 0);
    sem_wait(&locked);
    pthread_mutex_lock(&mutex);
    ready = 1;
    pthread_cond_signal(&cond);
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, 0);
    return 0;
}
