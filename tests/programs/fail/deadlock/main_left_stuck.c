#include "../../program.h"
// Stuck in every run: main has left by pthread_exit, and a thread locks what another one holds and never gives back.
MUTEX(m);
NOBODY_CARES(a) {
    L(m);
    return unused;
}
NOBODY_CARES(b) {
    let_others_run();
    L(m); // expect: deadlock
    return unused;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, a, NULL);
    pthread_create(&thread, NULL, b, NULL);
    pthread_exit(NULL);
}
