#include "../../program.h"
// The post that is waited for with the lock held needs the lock.
MUTEX(m);
static sem_t s;
NOBODY_CARES(a) {
    L(m);
    U(m);
    sem_post(&s);
    return unused;
}
NOBODY_CARES(b) {
    let_others_run();
    L(m);
    sem_wait(&s); // expect: deadlock
    U(m);
    return unused;
}
int main(void) {
    sem_init(&s, 0, 0);
    run2(a, b);
    return 0;
}
// fails whenever: 13 before 6
