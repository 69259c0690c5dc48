// One critical section.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
unsigned char small = 250;
short step = -3;

static void *add(void *unused) {
    pthread_mutex_lock(&lock);
    small = (unsigned char)(small + 4 + step);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t thread[2];
    pthread_create(&thread[0], NULL, add, NULL);
    pthread_create(&thread[1], NULL, add, NULL);
    pthread_join(thread[0], NULL);
    pthread_join(thread[1], NULL);
    assert((signed char)small == -4);
    return 0;
}
