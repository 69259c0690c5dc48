// The manager grants everything, whoever holds it.
// fails: one_holder, first_excludes_second, second_excludes_first
#include <pthread.h>

static int request(int resource) { return resource > 0; }
static void rescind(int resource) { (void)resource; }
static void cancel(int resource) { (void)resource; }

static void *worker(void *arg) {
    if (request(1))
        cancel(1);
    if (request(2))
        cancel(2);
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    if (request(1)) {
        rescind(1);
        cancel(1);
    }
    pthread_join(thread, 0);
    return request(0);
}
