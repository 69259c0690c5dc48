// Prints, which takes a buffer and asks what standard output is; needs more threads than are made at first.
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *argument) {
    printf("before %p\n", argument);
    if (argument == (void *)3) {
        pthread_mutex_lock(&lock);
        fprintf(stderr, "held %p\n", argument);
        pthread_mutex_unlock(&lock);
    }
    return argument;
}

int main(void) {
    pthread_t threads[6];
    for (long i = 0; i < 6; i++) {
        pthread_create(&threads[i], NULL, work, (void *)i);
        pthread_join(threads[i], NULL);
    }
    return 0;
}
