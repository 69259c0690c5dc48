// flags: -D_GNU_SOURCE
// Waits that run out, on both clocks, and a wait that is refused.
// t0: start; fork t1; join t1; exit 0
// t1: start; lock m; unlock m; fwait c m; lock m; unlock m; fwait c m; lock m; unlock m; end
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;

static void *work(void *arg) {
    struct timespec past = {1, 0}, wrong = {0, -1};
    pthread_mutex_lock(&mutex);
    if (pthread_cond_timedwait(&cond, &mutex, &past) != ETIMEDOUT)
        return arg;
    if (pthread_cond_clockwait(&cond, &mutex, CLOCK_MONOTONIC, &past) != ETIMEDOUT)
        return arg;
    if (pthread_cond_timedwait(&cond, &mutex, &wrong) != EINVAL)
        return arg;
    pthread_mutex_unlock(&mutex);
    return 0;
}

int main(void) {
    pthread_t thread;
    void *value;
    pthread_create(&thread, 0, work, &thread);
    pthread_join(thread, &value);
    return value != 0;
}
