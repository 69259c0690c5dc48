// A thread that nobody waits for, still there when the program ends.
// t0: start; sem_init s 0; fork t1; detach t1; sem_wait s; exit 0
// t1: start; sem_post s
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

static sem_t running;

static void *work(void *arg) {
    sem_post(&running);
    pause();
    return arg;
}

int main(void) {
    pthread_t thread;
    sem_init(&running, 0, 0);
    pthread_create(&thread, 0, work, 0);
    pthread_detach(thread);
    sem_wait(&running);
    return 0;
}
