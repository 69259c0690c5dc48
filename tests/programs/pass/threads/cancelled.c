#include "../../program.h"
// A cancelled thread lets its lock go in a clean-up handler.
MUTEX(m);
static sem_t inside, never;
static int data;
static void let_go(void *lock) { pthread_mutex_unlock(lock); }
NOBODY_CARES(a) {
    L(m);
    pthread_cleanup_push(let_go, &m);
    data = 1;
    sem_post(&inside);
    sem_wait(&never);
    pthread_cleanup_pop(1);
    return unused;
}
int main(void) {
    pthread_t thread;
    sem_init(&inside, 0, 0);
    sem_init(&never, 0, 0);
    pthread_create(&thread, NULL, a, NULL);
    sem_wait(&inside);
    pthread_cancel(thread);
    L(m);
    data++;
    U(m);
    pthread_join(thread, NULL);
    return data != 2;
}
