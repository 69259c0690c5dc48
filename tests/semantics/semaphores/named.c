// A named semaphore: opening it twice gives the same one, and it ends when both have closed it.
// t0: start; sem_init s 1; fork t1; join t1; sem_wait s; sem_wait s; sem_destroy s; exit 0
// t1: start; sem_post s; end
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <unistd.h>

static sem_t *semaphore;

static void *work(void *arg) {
    sem_post(semaphore);
    return arg;
}

int main(void) {
    pthread_t thread;
    char name[64];
    snprintf(name, sizeof name, "/foretrace-test-%d", (int)getpid());
    semaphore = sem_open(name, O_CREAT | O_EXCL, 0600, 1);
    sem_t *again = sem_open(name, 0);
    sem_unlink(name);
    if (semaphore == SEM_FAILED || again != semaphore)
        return 1;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    sem_wait(semaphore);
    sem_wait(semaphore);
    sem_close(again);
    sem_close(semaphore);
    return 0;
}
