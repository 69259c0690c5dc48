// What was locked, and how, before the first thread; what was unlocked again needs no word.
// t0: start; lock_init m recursive; lock m recursive; lock m2; lock m recursive; rdlock m3 rwlock; fork t1; join t1
// t0: unlock m3 rwlock; unlock m recursive; unlock m recursive; unlock m2; exit 0
// t1: start; end
#include <pthread.h>

static pthread_mutex_t plain = PTHREAD_MUTEX_INITIALIZER, recursive, idle = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t shared = PTHREAD_RWLOCK_INITIALIZER, gone;

static void *work(void *arg) { return arg; }

int main(void) {
    pthread_t thread;
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&recursive, &attributes);
    pthread_rwlock_init(&gone, 0);
    pthread_rwlock_destroy(&gone);
    pthread_mutex_lock(&idle);
    pthread_mutex_lock(&recursive);
    pthread_mutex_lock(&plain);
    pthread_mutex_lock(&recursive);
    pthread_rwlock_rdlock(&shared);
    pthread_mutex_unlock(&idle);
    pthread_mutex_lock(&recursive);
    pthread_mutex_unlock(&recursive);
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    pthread_rwlock_unlock(&shared);
    pthread_mutex_unlock(&recursive);
    pthread_mutex_unlock(&recursive);
    pthread_mutex_unlock(&plain);
    return 0;
}
