// Checked and used in one critical section.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int object = 5;
int *pointer = &object;

static void *use(void *unused) {
    pthread_mutex_lock(&lock);
    if (pointer != NULL)
        *pointer = 6;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *clear(void *unused) {
    pthread_mutex_lock(&lock);
    pointer = NULL;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t thread[2];
    pthread_create(&thread[0], NULL, use, NULL);
    pthread_create(&thread[1], NULL, clear, NULL);
    pthread_join(thread[0], NULL);
    pthread_join(thread[1], NULL);
    return 0;
}
