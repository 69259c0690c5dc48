// flags: -D_GNU_SOURCE
// Mutexes that spin first, that inherit priority, that have a ceiling: all are mutexes.
// t0: start; fork t1; join t1; exit 0
// t1: start; lock m; unlock m; lock m2; unlock m2; end
#include <pthread.h>

static pthread_mutex_t adaptive = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP;
static pthread_mutex_t inheriting;

static void *work(void *arg) {
    pthread_mutex_lock(&adaptive);
    pthread_mutex_unlock(&adaptive);
    pthread_mutex_lock(&inheriting);
    pthread_mutex_unlock(&inheriting);
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT);
    pthread_mutex_init(&inheriting, &attributes);
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    return 0;
}
