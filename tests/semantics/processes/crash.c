// exit: 139
// A process that crashes: all that its threads did is there.
// t0: start; fork t1
// t1: start; lock m
#include <pthread.h>
#include <sys/resource.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *arg) {
    pthread_mutex_lock(&mutex);
    *(volatile int *)8 = 1;
    return arg;
}

int main(void) {
    pthread_t thread;
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    return 0;
}
