#include "../../program.h"
// A detached worker waits for work that does not come when main returns.
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER;
static int jobs, done;
NOBODY_CARES(worker) {
    pthread_mutex_lock(&m);
    for (;;) {
        while (jobs == 0)
            pthread_cond_wait(&work, &m);
        jobs--, done++;
    }
    return unused;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    pthread_detach(t);
    pthread_mutex_lock(&m);
    jobs = 3;
    pthread_cond_signal(&work);
    pthread_mutex_unlock(&m);
    return 0;
}
