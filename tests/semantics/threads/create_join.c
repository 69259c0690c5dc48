// A thread is created, runs, and is waited for; its value comes back.
// t0: start; fork t1; join t1; exit 0
// t1: start; end
#include <pthread.h>

static void *work(void *arg) { return arg; }

int main(void) {
    pthread_t thread;
    void *value = 0;
    if (pthread_create(&thread, 0, work, &thread) != 0)
        return 1;
    if (pthread_join(thread, &value) != 0)
        return 2;
    return value != &thread;
}
