// The same with y before the first section.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <semaphore.h>

static sem_t l;
int x, y;

static void *first(void *unused) {
    sem_wait(&l);
    int a = x;
    y = 1 + a;
    x = 2 + a;
    sem_post(&l);
    sem_wait(&l);
    x = 1 + a;
    sem_post(&l);
    return unused;
}

static void *second(void *unused) {
    int b = 0;
    sem_wait(&l);
    if (x > b)
        assert(y == 1);
    sem_post(&l);
    return unused;
}

int main(void) {
    sem_init(&l, 0, 1);
    pthread_t thread[2];
    pthread_create(&thread[0], NULL, first, NULL);
    pthread_create(&thread[1], NULL, second, NULL);
    pthread_join(thread[0], NULL);
    pthread_join(thread[1], NULL);
    return 0;
}
