// A thread that computes without end.
#include <pthread.h>

static void *work(void *unused) {
    for (volatile long i = 0;; i++)
        ;
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    return 0;
}
