// The first thread ends before the others, and one of them waits for it.
// t0: start; fork t1; lock m; unlock m; end
// t1: start; join t0; lock m; unlock m; end
#include <pthread.h>

static pthread_t first;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *arg) {
    pthread_join(first, 0);
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    return arg;
}

int main(void) {
    pthread_t thread;
    first = pthread_self();
    pthread_create(&thread, 0, work, 0);
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    pthread_exit(0);
}
