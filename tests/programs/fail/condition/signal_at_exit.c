#include "../../program.h"
// A handler at exit wakes the worker and joins it. If the worker does not wait yet, the signal is lost.
MUTEX(m);
COND(leave);
static pthread_t thread;
NOBODY_CARES(worker) {
    L(m);
    pthread_cond_wait(&leave, &m); // expect: deadlock
    U(m);
    return unused;
}
static void stop(void) {
    L(m);
    pthread_cond_signal(&leave);
    U(m);
    pthread_join(thread, NULL); // expect: deadlock
}
int main(void) {
    atexit(stop);
    pthread_create(&thread, NULL, worker, NULL);
    let_others_run();
    return 0;
}
// fails whenever: 13 before 7
