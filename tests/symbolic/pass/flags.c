// Setting a bit is one critical section.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
unsigned flags;

static void set(unsigned bit) {
    pthread_mutex_lock(&lock);
    flags |= 1u << bit;
    pthread_mutex_unlock(&lock);
}

static void *first(void *unused) {
    set(3);
    return unused;
}

static void *second(void *unused) {
    set(17);
    return unused;
}

int main(void) {
    pthread_t thread[2];
    pthread_create(&thread[0], NULL, first, NULL);
    pthread_create(&thread[1], NULL, second, NULL);
    pthread_join(thread[0], NULL);
    pthread_join(thread[1], NULL);
    assert((flags & (1u << 3)) && (flags >> 17 & 1));
    return 0;
}
