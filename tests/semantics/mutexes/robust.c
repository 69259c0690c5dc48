// A thread dies holding a robust mutex: the next to lock it takes over.
// t0: start; fork t1; join t1; lock m owner_died; unlock m; fork t2; join t2; lock m try owner_died; unlock m; exit 0
// t1: start; lock m; end
// t2: start; lock m; end
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t mutex;

static void *die(void *arg) {
    pthread_mutex_lock(&mutex);
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&mutex, &attributes);
    for (int i = 0; i < 2; i++) {
        pthread_create(&thread, 0, die, 0);
        pthread_join(thread, 0);
        if ((i == 0 ? pthread_mutex_lock(&mutex) : pthread_mutex_trylock(&mutex)) != EOWNERDEAD)
            return 1;
        if (i == 0)
            pthread_mutex_consistent(&mutex);
        pthread_mutex_unlock(&mutex);
    }
    // It was not made consistent the second time: nobody can lock it again.
    return pthread_mutex_lock(&mutex) != ENOTRECOVERABLE;
}
