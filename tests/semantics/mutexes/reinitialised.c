// At one address, one mutex after another, of different kinds.
// t0: start; fork t1; join t1; lock_destroy m; lock_init m recursive; fork t2; join t2; lock_destroy m
// t0: lock_init m errorcheck; fork t3; join t3; lock_destroy m; exit 0
// t1: start; lock m; unlock m; end
// t2: start; lock m recursive; unlock m recursive; end
// t3: start; lock m errorcheck; unlock m errorcheck; end
#include <pthread.h>

static pthread_mutex_t mutex;

static void *work(void *arg) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    return arg;
}

int main(void) {
    int kinds[] = {PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_ERRORCHECK};
    for (int i = 0; i < 3; i++) {
        pthread_t thread;
        pthread_mutexattr_t attributes;
        pthread_mutexattr_init(&attributes);
        pthread_mutexattr_settype(&attributes, kinds[i]);
        pthread_mutex_init(&mutex, &attributes);
        pthread_create(&thread, 0, work, 0);
        pthread_join(thread, 0);
        pthread_mutex_destroy(&mutex);
    }
    return 0;
}
