// A thread ends the process while others still wait.
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *leave(void *unused) {
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    (void)unused;
    exit(0);
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, leave, NULL);
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    return 0;
}
