// Trying a mutex that is free, one that another holds, and one that the thread holds itself.
// t0: start; lock m try; fork t1; join t1; flock m try; unlock m; exit 0
// t1: start; flock m try; end
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *arg) { return pthread_mutex_trylock(&mutex) == EBUSY ? arg : 0; }

int main(void) {
    pthread_t thread;
    void *value;
    if (pthread_mutex_trylock(&mutex) != 0)
        return 1;
    pthread_create(&thread, 0, work, &thread);
    pthread_join(thread, &value);
    if (pthread_mutex_trylock(&mutex) != EBUSY)
        return 2;
    pthread_mutex_unlock(&mutex);
    return value == 0;
}
