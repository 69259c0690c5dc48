// A thread is cancelled in a call that waits for time alone.
// t0: start; fork t1; join t1; exit 0
// t1: start; end
#include <pthread.h>
#include <unistd.h>

static void *work(void *arg) {
    pause();
    return arg;
}

int main(void) {
    pthread_t thread;
    void *value = 0;
    pthread_create(&thread, 0, work, 0);
    pthread_cancel(thread);
    pthread_join(thread, &value);
    return value != PTHREAD_CANCELED;
}
