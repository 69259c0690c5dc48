#include "../../program.h"
static int count;
static pthread_spinlock_t s;
MUTEX(m);
NOBODY_CARES(a) {
    pthread_spin_lock(&s);
    count++; // expect: race with line 13
    pthread_spin_unlock(&s);
    return unused;
}
NOBODY_CARES(b) {
    L(m);
    count++;
    U(m);
    return unused;
}
int main(void) {
    pthread_spin_init(&s, 0);
    run2(a, b);
    return 0;
}
// fails whenever: nothing
