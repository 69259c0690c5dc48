#include "../../program.h"
static pthread_spinlock_t s, t;
NOBODY_CARES(a) {
    pthread_spin_lock(&s);
    pthread_spin_lock(&t); // expect: deadlock
    pthread_spin_unlock(&t);
    pthread_spin_unlock(&s);
    return unused;
}
NOBODY_CARES(b) {
    let_others_run();
    pthread_spin_lock(&t);
    pthread_spin_lock(&s);
    pthread_spin_unlock(&s);
    pthread_spin_unlock(&t);
    return unused;
}
int main(void) {
    pthread_spin_init(&s, 0);
    pthread_spin_init(&t, 0);
    run2(a, b);
    return 0;
}
// fails whenever: 4 before 13, 12 before 5
