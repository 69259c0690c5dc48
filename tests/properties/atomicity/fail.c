// The thesis's Figure 6.16: each access is atomic, the increment is not.
// fails: serialisable_regions
#include <pthread.h>

static _Atomic int x;

static void increment(void) {
    int seen = x;
    seen++;
    x = seen;
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
