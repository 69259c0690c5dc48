// flags: -D_GNU_SOURCE
// A semaphore with a first value, waited for with every patience, posted, destroyed.
// t0: start; sem_init s 2; fork t1; join t1; sem_destroy s; exit 0
// t1: start; sem_wait s; sem_wait s try; sem_fwait s try; sem_fwait s timed; sem_fwait s timed; sem_post s
// t1: sem_post s; sem_wait s timed; sem_wait s timed; end
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

static sem_t semaphore;

static void *work(void *arg) {
    struct timespec past = {1, 0}, future;
    clock_gettime(CLOCK_REALTIME, &future);
    future.tv_sec += 100;
    sem_wait(&semaphore);
    sem_trywait(&semaphore);
    if (sem_trywait(&semaphore) == 0 || errno != EAGAIN)
        return arg;
    if (sem_timedwait(&semaphore, &past) == 0 || errno != ETIMEDOUT)
        return arg;
    if (sem_clockwait(&semaphore, CLOCK_MONOTONIC, &past) == 0 || errno != ETIMEDOUT)
        return arg;
    sem_post(&semaphore);
    sem_post(&semaphore);
    sem_timedwait(&semaphore, &future);
    sem_clockwait(&semaphore, CLOCK_REALTIME, &future);
    return 0;
}

int main(void) {
    pthread_t thread;
    void *value;
    sem_t wrong;
    sem_init(&semaphore, 0, 2);
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, &value);
    sem_destroy(&semaphore);
    if (sem_init(&wrong, 0, ~0u) == 0)
        return 1;
    return value != 0;
}
