// fails: deadlock
// A wake-up is sent only to a thread that says it sleeps; it says so after it has looked for work.
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

static sem_t wake;
static atomic_int work, sleeps;

static void *worker(void *unused) {
#ifdef FIXED
    atomic_store(&sleeps, 1);
    if (!atomic_load(&work) || !atomic_exchange(&sleeps, 0))
        sem_wait(&wake);
#else
    if (!atomic_load(&work)) {
        atomic_store(&sleeps, 1);
        sem_wait(&wake);
    }
#endif
    return unused;
}

int main(void) {
    pthread_t thread;
    sem_init(&wake, 0, 0);
    pthread_create(&thread, NULL, worker, NULL);
    atomic_store(&work, 1);
    if (atomic_exchange(&sleeps, 0))
        sem_post(&wake);
    pthread_join(thread, NULL);
    return 0;
}
