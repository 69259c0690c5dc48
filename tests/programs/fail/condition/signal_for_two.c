#include "../../program.h"
// Two wait, and one signal wakes only one of them. The recorded run is saved by a second signal that comes late enough.
static int waiting;
MUTEX(m);
COND(c);
NOBODY_CARES(a) {
    L(m);
    waiting++;
    pthread_cond_wait(&c, &m); // expect: deadlock
    U(m);
    return unused;
}
NOBODY_CARES(b) {
    let_others_run();
    L(m);
    pthread_cond_signal(&c);
    U(m);
    let_others_run();
    L(m);
    pthread_cond_signal(&c);
    U(m);
    return unused;
}
int main(void) { run3(a, a, b); return 0; }
