#include "../../program.h"
// A handler at exit stops the worker by a flag under the lock, joins it, and reads what it left.
MUTEX(m);
COND(leave);
static pthread_t thread;
static int stopped, done;
NOBODY_CARES(worker) {
    L(m);
    while (!stopped)
        if (pthread_cond_wait(&leave, &m) != 0) abort();
    done = 1;
    U(m);
    return unused;
}
static void stop(void) {
    L(m);
    stopped = 1;
    pthread_cond_signal(&leave);
    U(m);
    pthread_join(thread, NULL);
    if (!done) abort();
}
int main(void) {
    atexit(stop);
    pthread_create(&thread, NULL, worker, NULL);
    return 0;
}
