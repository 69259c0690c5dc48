// flags: -D_GNU_SOURCE
// Deadlines on both sides and both clocks, met and missed; a lock that would wait for itself is an error, not an event.
// t0: start; lock m rwlock; fork t1; join t1; unlock m rwlock; rdlock m rwlock timed; unlock m rwlock
// t0: rdlock m rwlock timed; unlock m rwlock; lock m rwlock timed; unlock m rwlock; lock m rwlock timed
// t0: unlock m rwlock; exit 0
// t1: start; frdlock m rwlock timed; frdlock m rwlock timed; flock m rwlock timed; flock m rwlock timed; end
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static struct timespec past = {1, 0};

static void *miss(void *arg) {
    if (pthread_rwlock_timedrdlock(&lock, &past) != ETIMEDOUT)
        return arg;
    if (pthread_rwlock_clockrdlock(&lock, CLOCK_MONOTONIC, &past) != ETIMEDOUT)
        return arg;
    if (pthread_rwlock_timedwrlock(&lock, &past) != ETIMEDOUT)
        return arg;
    if (pthread_rwlock_clockwrlock(&lock, CLOCK_MONOTONIC, &past) != ETIMEDOUT)
        return arg;
    return 0;
}

int main(void) {
    pthread_t thread;
    void *value;
    struct timespec future;
    pthread_rwlock_wrlock(&lock);
    pthread_create(&thread, 0, miss, &thread);
    pthread_join(thread, &value);
    if (pthread_rwlock_wrlock(&lock) != EDEADLK)
        return 1;
    pthread_rwlock_unlock(&lock);
    clock_gettime(CLOCK_REALTIME, &future);
    future.tv_sec += 100;
    pthread_rwlock_timedrdlock(&lock, &future);
    pthread_rwlock_unlock(&lock);
    pthread_rwlock_clockrdlock(&lock, CLOCK_REALTIME, &future);
    pthread_rwlock_unlock(&lock);
    pthread_rwlock_timedwrlock(&lock, &future);
    pthread_rwlock_unlock(&lock);
    pthread_rwlock_clockwrlock(&lock, CLOCK_REALTIME, &future);
    pthread_rwlock_unlock(&lock);
    return value != 0;
}
