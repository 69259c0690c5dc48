#include "../../program.h"
// Two detached threads take two locks in opposite orders. Nobody waits for them, and `main` returns.
MUTEX(a);
MUTEX(b);
static void *one(void *unused) {
    L(a);
    L(b); // expect: deadlock
    U(b);
    U(a);
    return unused;
}
static void *two(void *unused) {
    let_others_run();
    L(b);
    L(a); // expect: deadlock
    U(a);
    U(b);
    return unused;
}
int main(void) {
    pthread_attr_t detached;
    pthread_t thread;
    pthread_attr_init(&detached);
    pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
    pthread_create(&thread, &detached, one, NULL);
    pthread_create(&thread, &detached, two, NULL);
    usleep(30000);
    return 0;
}
// fails whenever: 6 before 15, 14 before 7
