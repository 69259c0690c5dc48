// A child process is killed with a robust mutex in shared memory.
#include "nasty.h"

int main(void) {
    events();
    pthread_mutex_t *mutex = shared(sizeof *mutex);
    pthread_mutexattr_t kind;
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_setrobust(&kind, PTHREAD_MUTEX_ROBUST);
    pthread_mutexattr_setpshared(&kind, PTHREAD_PROCESS_SHARED);
    pthread_mutex_init(mutex, &kind);
    pid_t child = fork();
    if (child == 0) {
        pthread_mutex_lock(mutex);
        raise(SIGKILL);
    }
    MUST(end_of(child) == 137);
    MUST(pthread_mutex_lock(mutex) == EOWNERDEAD);
    MUST(pthread_mutex_consistent(mutex) == 0 && pthread_mutex_unlock(mutex) == 0);
    events();
    say("the owner was killed");
}
