#include "../../program.h"
// A recursive mutex made by hand of two mutexes, an owner and a flag that says whether the owner is valid. Whether the
// second mutex is taken hangs on the flag, which is read outside the lock.
MUTEX(main_lock);
MUTEX(aux_lock);
static pthread_t owner;
static volatile int valid;
static int work;
static void enter(void) {
    L(aux_lock);
    if (!valid || !pthread_equal(owner, pthread_self())) {
        L(main_lock); // expect: deadlock
        owner = pthread_self();
        valid = 1;
    }
    U(aux_lock);
}
static void leave(void) {
    L(aux_lock);
    valid = 0;
    U(main_lock);
    U(aux_lock);
}
NOBODY_CARES(a) {
    enter();
    work++;
    leave();
    return unused;
}
NOBODY_CARES(b) {
    let_others_run();
    enter();
    work++;
    leave();
    return unused;
}
int main(void) { run2(a, b); return 0; }
// fails whenever: 10 before 19
