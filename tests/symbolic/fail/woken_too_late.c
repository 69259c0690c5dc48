// Another consumer may take the item before the one that was woken has the lock.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
int items;

static void *consume(void *unused) {
    pthread_mutex_lock(&lock);
    if (items == 0)
        pthread_cond_wait(&filled, &lock);
    assert(items > 0); // expect: crash
    items--;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *produce(void *unused) {
    pthread_mutex_lock(&lock);
    items++;
    pthread_cond_signal(&filled);
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *steal(void *unused) {
    pthread_mutex_lock(&lock);
    if (items > 0)
        items--;
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    items++;
    pthread_cond_signal(&filled);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t thread[3];
    pthread_create(&thread[0], NULL, consume, NULL);
    pthread_create(&thread[1], NULL, produce, NULL);
    pthread_create(&thread[2], NULL, steal, NULL);
    pthread_join(thread[0], NULL);
    pthread_join(thread[1], NULL);
    pthread_join(thread[2], NULL);
    return 0;
}
