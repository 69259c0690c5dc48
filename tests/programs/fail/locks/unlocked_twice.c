#include "../../program.h"
// A mutex is unlocked once too often, which glibc allows: the rest of the thread is checked all the same.
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int count;
static void *work(void *unused) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    pthread_mutex_unlock(&mutex);
    count = 1; // expect: race with line 15
    return unused;
}
int main(void) {
    pthread_t worker;
    pthread_create(&worker, NULL, work, NULL);
    count = 2;
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    pthread_join(worker, NULL);
    return 0;
}
// fails whenever: 6 before 16
