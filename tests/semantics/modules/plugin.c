// Locks a mutex of its own and writes to what it is given.
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

void touch(int *value) {
    pthread_mutex_lock(&mutex);
    *value = 1;
    pthread_mutex_unlock(&mutex);
}
