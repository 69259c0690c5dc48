#include "../../program.h"
static int done;
static sem_t sem;
NOBODY_CARES(a) {
    done = 1;
    sem_post(&sem);
    return unused;
}
int main(void) {
    pthread_t t;
    sem_init(&sem, 0, 0);
    pthread_create(&t, NULL, a, NULL);
    pthread_detach(t);
    sem_wait(&sem);
    return !done;
}
