#include "../../program.h"
// sem-deadlock: two semaphores of one permit each, taken in opposite orders.
static sem_t s, t;
NOBODY_CARES(a) {
    sem_wait(&s);
    sem_wait(&t); // expect: deadlock
    sem_post(&t);
    sem_post(&s);
    return unused;
}
NOBODY_CARES(b) {
    let_others_run();
    sem_wait(&t);
    sem_wait(&s);
    sem_post(&s);
    sem_post(&t);
    return unused;
}
int main(void) {
    sem_init(&s, 0, 1);
    sem_init(&t, 0, 1);
    run2(a, b);
    return 0;
}
// fails whenever: 5 before 14, 13 before 6
