// flags: -D_GNU_SOURCE
// Deadlines on both clocks, met and missed.
// t0: start; lock m; fork t1; join t1; unlock m; lock m timed; unlock m; lock m timed; unlock m; lock m; unlock m
// t0: exit 0
// t1: start; flock m timed; flock m timed; end
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct timespec past = {1, 0};

static void *work(void *arg) {
    if (pthread_mutex_timedlock(&mutex, &past) != ETIMEDOUT)
        return arg;
    if (pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &past) != ETIMEDOUT)
        return arg;
    return 0;
}

int main(void) {
    pthread_t thread;
    void *value;
    struct timespec future;
    pthread_mutex_lock(&mutex);
    pthread_create(&thread, 0, work, &thread);
    pthread_join(thread, &value);
    pthread_mutex_unlock(&mutex);
    clock_gettime(CLOCK_REALTIME, &future);
    future.tv_sec += 100;
    if (pthread_mutex_timedlock(&mutex, &future) != 0)
        return 1;
    pthread_mutex_unlock(&mutex);
    if (pthread_mutex_clocklock(&mutex, CLOCK_REALTIME, &future) != 0)
        return 2;
    pthread_mutex_unlock(&mutex);
    struct timespec wrong = {0, -1};
    pthread_mutex_lock(&mutex);
    if (pthread_mutex_timedlock(&mutex, &wrong) != EINVAL)
        return 3;
    pthread_mutex_unlock(&mutex);
    return value != 0;
}
