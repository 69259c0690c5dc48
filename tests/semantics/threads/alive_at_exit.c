// exit: 7
// The program ends while a thread waits for a mutex that will never be free.
// t0: start; lock m; sem_init s 0; fork t1; sem_wait s; exit 7
// t1: start; lock m2; sem_post s
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t never = PTHREAD_MUTEX_INITIALIZER;
static sem_t running;

static void *work(void *arg) {
    pthread_mutex_lock(&mutex);
    sem_post(&running);
    pthread_mutex_lock(&never);
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_mutex_lock(&never);
    sem_init(&running, 0, 0);
    pthread_create(&thread, 0, work, 0);
    sem_wait(&running);
    exit(7);
}
