// The increment is atomic because of a lock.
#include <pthread.h>

static _Atomic int x;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void increment(void) {
    pthread_mutex_lock(&lock);
    int seen = x;
    seen++;
    x = seen;
    pthread_mutex_unlock(&lock);
}

static void *worker(void *arg) {
    increment();
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    increment();
    pthread_join(thread, 0);
    return 0;
}
