// fails: deadlock
// Two resources behind semaphores, taken in two orders.
#include <pthread.h>
#include <semaphore.h>

static sem_t first, second;

static void *one(void *unused) {
    sem_wait(&first);
    sem_wait(&second);
    sem_post(&second);
    sem_post(&first);
    return unused;
}

static void *two(void *unused) {
#ifdef FIXED
    sem_wait(&first);
    sem_wait(&second);
#else
    sem_wait(&second);
    sem_wait(&first);
#endif
    sem_post(&first);
    sem_post(&second);
    return unused;
}

int main(void) {
    sem_init(&first, 0, 1);
    sem_init(&second, 0, 1);
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, one, NULL);
    pthread_create(&threads[1], NULL, two, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
