// Both threads change x with the lock.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int x;

static void increment(void) {
    pthread_mutex_lock(&lock);
    x++;
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
    return x == 0;
}
