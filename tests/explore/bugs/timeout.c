// fails: crash
// A timed wait that times out is taken for a success.
#include <assert.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
static int value;

static void *produce(void *unused) {
    pthread_mutex_lock(&lock);
    value = 1;
    pthread_cond_signal(&ready);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, produce, NULL);
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 1000000;
    if (until.tv_nsec >= 1000000000) {
        until.tv_nsec -= 1000000000;
        until.tv_sec++;
    }
    pthread_mutex_lock(&lock);
    int result = 0;
    while (value == 0 && result == 0)
        result = pthread_cond_timedwait(&ready, &lock, &until);
#ifdef FIXED
    assert(value == 1 || result != 0);
#else
    assert(value == 1);
#endif
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    return 0;
}
