// Semaphores and barriers made, and used, before the first thread: they are recorded with the value they then have.
// t0: start; sem_init s 4; barrier_init b 2; fork t1; barrier_enter b; barrier_exit b; join t1; exit 0
// t1: start; sem_wait s; barrier_enter b; barrier_exit b; end
#include <pthread.h>
#include <semaphore.h>

static sem_t used, gone;
static pthread_barrier_t barrier;

static void *work(void *arg) {
    sem_wait(&used);
    pthread_barrier_wait(&barrier);
    return arg;
}

int main(void) {
    pthread_t thread;
    sem_init(&used, 0, 5);
    sem_init(&gone, 0, 5);
    sem_destroy(&gone);
    sem_wait(&used);
    sem_wait(&used);
    sem_post(&used);
    pthread_barrier_init(&barrier, 0, 2);
    pthread_create(&thread, 0, work, 0);
    pthread_barrier_wait(&barrier);
    pthread_join(thread, 0);
    return 0;
}
