// What is done once is run by the first and passed by the others; an initialiser may need another.
// t0: start; fork t1; join t1; fork t2; join t2; exit 0
// t1: start; once_run o; once_run o2; lock m; unlock m; once_done o2; once_pass o2; once_done o; end
// t2: start; once_pass o; end
#include <pthread.h>

static pthread_once_t outer = PTHREAD_ONCE_INIT, inner = PTHREAD_ONCE_INIT;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void initialise_inner(void) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
}

static void initialise_outer(void) {
    pthread_once(&inner, initialise_inner);
    pthread_once(&inner, initialise_inner);
}

static void *work(void *arg) {
    pthread_once(&outer, initialise_outer);
    return arg;
}

int main(void) {
    for (int i = 0; i < 2; i++) {
        pthread_t thread;
        pthread_create(&thread, 0, work, 0);
        pthread_join(thread, 0);
    }
    return 0;
}
