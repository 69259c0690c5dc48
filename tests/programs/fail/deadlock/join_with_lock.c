#include "../../program.h"
// Main joins a thread that needs the lock main holds.
MUTEX(m);
NOBODY_CARES(a) {
    L(m); // expect: deadlock
    U(m);
    return unused;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, a, NULL);
    let_others_run();
    L(m);
    pthread_join(t, NULL);
    U(m);
    return 0;
}
// fails whenever: 13 before 5
