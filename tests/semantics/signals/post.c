// A handler posts a semaphore: its events are part of the thread that it interrupts.
// t0: start; sem_init s 0; fork t1; join t1; release k; release all; exit 0
// t1: start; release k; release all; signal_enter 10; acquire k; sem_post s; signal_exit 10; sem_wait s; end
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>

static sem_t delivered;

static void handle(int signal) { sem_post(&delivered); }

static void *work(void *arg) {
    raise(SIGUSR1);
    sem_wait(&delivered);
    return arg;
}

int main(void) {
    pthread_t thread;
    struct sigaction action = {.sa_handler = handle}, old;
    sem_init(&delivered, 0, 0);
    sigaction(SIGUSR1, &action, 0);
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    sigaction(SIGUSR1, 0, &old);
    return old.sa_handler != handle;
}
