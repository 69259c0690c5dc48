#include "../../program.h"
// A thread takes the spin lock that it holds, and spins for ever.
static pthread_spinlock_t s;
static int count;
static void add(void) {
    pthread_spin_lock(&s); // expect: deadlock
    count++;
    pthread_spin_unlock(&s);
}
NOBODY_CARES(a) {
    add();
    return unused;
}
NOBODY_CARES(b) {
    let_others_run();
    pthread_spin_lock(&s);
    if (count == 1)
        add();
    pthread_spin_unlock(&s);
    return unused;
}
int main(void) {
    pthread_spin_init(&s, PTHREAD_PROCESS_PRIVATE);
    run2(a, b);
    return 0;
}
