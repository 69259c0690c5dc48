// Mutexes of every kind, used wrongly where that is an answer and not a crash.
#include "nasty.h"

int main(void) {
    events();
    int kinds[] = { PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_RECURSIVE };
    for (int i = 0; i < 2; i++) {
        pthread_mutexattr_t kind;
        pthread_mutex_t mutex;
        pthread_mutexattr_init(&kind);
        pthread_mutexattr_settype(&kind, kinds[i]);
        pthread_mutex_init(&mutex, &kind);
        MUST(pthread_mutex_unlock(&mutex) == EPERM);
        MUST(pthread_mutex_lock(&mutex) == 0);
        MUST(pthread_mutex_lock(&mutex) == (i ? 0 : EDEADLK));
        MUST(pthread_mutex_destroy(&mutex) == EBUSY);
        if (i)
            pthread_mutex_unlock(&mutex);
        MUST(pthread_mutex_unlock(&mutex) == 0);
        MUST(pthread_mutex_unlock(&mutex) == EPERM);
        MUST(pthread_mutex_destroy(&mutex) == 0);
        MUST(pthread_mutex_init(&mutex, 0) == 0 && pthread_mutex_trylock(&mutex) == 0);
        MUST(pthread_mutex_trylock(&mutex) == EBUSY);
        struct timespec past = { 0, 0 };
        MUST(pthread_mutex_timedlock(&mutex, &past) == ETIMEDOUT);
        past.tv_nsec = 2000000000;
        MUST(pthread_mutex_timedlock(&mutex, &past) == EINVAL);
    }
    say("answered");
}
