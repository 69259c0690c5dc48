// fails: crash
// A block is allocated between the creations of two threads, so it has another address if threads are made beforehand. Both
// threads change it without a lock.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t counting = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t published = PTHREAD_COND_INITIALIZER;
static int *block;

static void add(int *counter) {
#ifdef FIXED
    pthread_mutex_lock(&counting);
#endif
    *counter = *counter + 1;
#ifdef FIXED
    pthread_mutex_unlock(&counting);
#endif
}

static void *wait_and_add(void *unused) {
    pthread_mutex_lock(&lock);
    while (block == NULL)
        pthread_cond_wait(&published, &lock);
    int *mine = block;
    pthread_mutex_unlock(&lock);
    add(mine);
    return unused;
}

static void *add_at_once(void *counter) {
    add(counter);
    return NULL;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, wait_and_add, NULL);
    int *counter = calloc(1, sizeof *counter);
    pthread_create(&second, NULL, add_at_once, counter);
    pthread_mutex_lock(&lock);
    block = counter;
    pthread_cond_signal(&published);
    pthread_mutex_unlock(&lock);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    assert(*counter == 2);
    free(counter);
    return 0;
}
