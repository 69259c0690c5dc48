// Who uses the manager has the lock.
#include <pthread.h>

static pthread_mutex_t manager = PTHREAD_MUTEX_INITIALIZER;

static int request(int resource) { return resource > 0; }
static void rescind(int resource) { (void)resource; }
static void cancel(int resource) { (void)resource; }

static void *worker(void *arg) {
    pthread_mutex_lock(&manager);
    if (request(1))
        cancel(1);
    if (request(2))
        cancel(2);
    pthread_mutex_unlock(&manager);
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    pthread_mutex_lock(&manager);
    if (request(1)) {
        rescind(1);
        cancel(1);
    }
    pthread_mutex_unlock(&manager);
    pthread_join(thread, 0);
    return request(0);
}
