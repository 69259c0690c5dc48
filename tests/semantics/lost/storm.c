// flags: -D_GNU_SOURCE
// Ten thousand queued signals at two threads that lock, wait and allocate: each is handled, none twice.
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sched.h>

enum { THREADS = 2, SIGNALS = 5000 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static sem_t handled;
static atomic_int stop;

static void handle(int signal, siginfo_t *info, void *context) { sem_post(&handled); }

static void *work(void *arg) {
    while (!atomic_load(&stop)) {
        free(malloc(100));
        pthread_mutex_lock(&mutex);
        pthread_mutex_unlock(&mutex);
    }
    return arg;
}

int main(void) {
    pthread_t threads[THREADS];
    int value;
    struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_RESTART};
    sem_init(&handled, 0, 0);
    sigaction(SIGRTMIN, &action, 0);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], 0, work, 0);
    for (int i = 0; i < SIGNALS; i++)
        for (int j = 0; j < THREADS; j++)
            while (pthread_sigqueue(threads[j], SIGRTMIN, (union sigval){.sival_int = i}) != 0)
                sched_yield();
    for (int i = 0; i < SIGNALS * THREADS; i++)
        while (sem_wait(&handled) != 0) {
        }
    atomic_store(&stop, 1);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], 0);
    sem_getvalue(&handled, &value);
    return value != 0;
}
