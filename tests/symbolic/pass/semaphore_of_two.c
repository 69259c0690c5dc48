// A semaphore of one.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <semaphore.h>

static sem_t sem;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int inside;

static void *work(void *unused) {
    sem_wait(&sem);
    pthread_mutex_lock(&lock);
    inside++;
    assert(inside == 1);
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    inside--;
    pthread_mutex_unlock(&lock);
    sem_post(&sem);
    return unused;
}

int main(void) {
    sem_init(&sem, 0, 1);
    pthread_t thread[2];
    pthread_create(&thread[0], NULL, work, NULL);
    pthread_create(&thread[1], NULL, work, NULL);
    pthread_join(thread[0], NULL);
    pthread_join(thread[1], NULL);
    return 0;
}
