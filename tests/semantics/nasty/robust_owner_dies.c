// A thread ends with a robust mutex; the next owner is told, and repairs it.
#include "nasty.h"

static pthread_mutex_t robust;

static void *die_with_it(void *arg) {
    pthread_mutex_lock(&robust);
    return arg;
}

int main(void) {
    events();
    pthread_mutexattr_t kind;
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_setrobust(&kind, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&robust, &kind);
    pthread_join(start(die_with_it, 0), 0);
    MUST(pthread_mutex_lock(&robust) == EOWNERDEAD);
    MUST(pthread_mutex_consistent(&robust) == 0);
    MUST(pthread_mutex_unlock(&robust) == 0);
    pthread_join(start(die_with_it, 0), 0);
    MUST(pthread_mutex_lock(&robust) == EOWNERDEAD);
    pthread_mutex_unlock(&robust);
    MUST(pthread_mutex_lock(&robust) == ENOTRECOVERABLE);
    events();
    say("repaired once, then given up");
}
