#include "../../program.h"
// main leaves by pthread_exit; the last thread waits for a signal that may have been given already.
MUTEX(m);
COND(c);
NOBODY_CARES(waiter) {
    L(m);
    pthread_cond_wait(&c, &m); // expect: deadlock
    U(m);
    return unused;
}
NOBODY_CARES(signaller) {
    let_others_run();
    L(m);
    pthread_cond_signal(&c);
    U(m);
    return unused;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, waiter, NULL);
    pthread_create(&thread, NULL, signaller, NULL);
    pthread_exit(NULL);
}
