// Checked and used in one critical section.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int parts = 4, share;

static void *divide(void *unused) {
    pthread_mutex_lock(&lock);
    if (parts > 0)
        share = 100 / parts;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *leave(void *unused) {
    pthread_mutex_lock(&lock);
    parts -= 4;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t thread[2];
    pthread_create(&thread[0], NULL, divide, NULL);
    pthread_create(&thread[1], NULL, leave, NULL);
    pthread_join(thread[0], NULL);
    pthread_join(thread[1], NULL);
    return 0;
}
