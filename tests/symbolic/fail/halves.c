// The halves of a number are written in two critical sections.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
unsigned low = 7, high = 7;

static unsigned long number(void) {
    pthread_mutex_lock(&lock);
    unsigned long all = (unsigned long)high << 32 | low;
    pthread_mutex_unlock(&lock);
    return all;
}

static void *look(void *unused) {
    unsigned long seen = number();
    assert(seen % 0x100000001ul == 0); // expect: crash
    return unused;
}

static void *set(void *unused) {
    pthread_mutex_lock(&lock);
    low = 9;
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    high = 9;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t thread[2];
    pthread_create(&thread[0], NULL, look, NULL);
    pthread_create(&thread[1], NULL, set, NULL);
    pthread_join(thread[0], NULL);
    pthread_join(thread[1], NULL);
    return 0;
}
