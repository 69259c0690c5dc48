#include "../../program.h"
// main leaves by pthread_exit and so has ended; the threads it has started wait for each other.
MUTEX(one);
MUTEX(two);
NOBODY_CARES(a) {
    L(one);
    L(two); // expect: deadlock
    U(two);
    U(one);
    return unused;
}
NOBODY_CARES(b) {
    let_others_run();
    L(two);
    L(one); // expect: deadlock
    U(one);
    U(two);
    return unused;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, a, NULL);
    pthread_detach(thread);
    pthread_create(&thread, NULL, b, NULL);
    pthread_detach(thread);
    pthread_exit(NULL);
}
