// flags: -D_GNU_SOURCE
// Waiting for a thread without patience, with a deadline, and with a clock; what fails leaves no trace.
// t0: start; sem_init s 0; fork t1; fork t2; fork t3; sem_post s; sem_post s; sem_post s; join t1; join t2; join t3
// t0: exit 0
// t1: start; sem_wait s; end
// t2: start; sem_wait s; end
// t3: start; sem_wait s; end
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

static sem_t go;

static void *work(void *arg) {
    sem_wait(&go);
    return arg;
}

int main(void) {
    pthread_t threads[3];
    struct timespec past = {1, 0}, future;
    sem_init(&go, 0, 0);
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], 0, work, 0);
    if (pthread_tryjoin_np(threads[0], 0) != EBUSY)
        return 1;
    if (pthread_timedjoin_np(threads[1], 0, &past) != ETIMEDOUT)
        return 2;
    for (int i = 0; i < 3; i++)
        sem_post(&go);
    while (pthread_tryjoin_np(threads[0], 0) != 0) {
    }
    clock_gettime(CLOCK_REALTIME, &future);
    future.tv_sec += 100;
    if (pthread_timedjoin_np(threads[1], 0, &future) != 0)
        return 3;
    clock_gettime(CLOCK_MONOTONIC, &future);
    future.tv_sec += 100;
    if (pthread_clockjoin_np(threads[2], 0, CLOCK_MONOTONIC, &future) != 0)
        return 4;
    return 0;
}
