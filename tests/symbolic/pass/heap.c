// One critical section.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
struct pair {
    long one, two;
};
static struct pair *pair;

static void *change(void *unused) {
    pthread_mutex_lock(&lock);
    pair->one += 5;
    pair->two += 5;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *compare(void *unused) {
    pthread_mutex_lock(&lock);
    assert(pair->one == pair->two);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pair = calloc(1, sizeof *pair);
    pthread_t thread[2];
    pthread_create(&thread[0], NULL, compare, NULL);
    pthread_create(&thread[1], NULL, change, NULL);
    pthread_join(thread[0], NULL);
    pthread_join(thread[1], NULL);
    free(pair);
    return 0;
}
