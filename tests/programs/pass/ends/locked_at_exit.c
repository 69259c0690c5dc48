#include "../../program.h"
// A detached thread and a function that is called at exit use one variable, both with the lock.
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int progress;
static void summary(void) {
    pthread_mutex_lock(&m);
    printf("%d\n", progress);
    pthread_mutex_unlock(&m);
}
NOBODY_CARES(work) {
    pthread_mutex_lock(&m);
    progress = 7;
    pthread_mutex_unlock(&m);
    return unused;
}
int main(void) {
    pthread_t t;
    atexit(summary);
    pthread_create(&t, NULL, work, NULL);
    pthread_detach(t);
    return 0;
}
