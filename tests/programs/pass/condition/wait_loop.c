#include "../../program.h"
static int ready, data;
MUTEX(m);
COND(c);
NOBODY_CARES(a) {
    data = 5;
    L(m);
    ready = 1;
    pthread_cond_signal(&c);
    U(m);
    return unused;
}
NOBODY_CARES(b) {
    L(m);
    while (!ready)
        pthread_cond_wait(&c, &m);
    U(m);
    return data == 5 ? unused : NULL;
}
int main(void) { run2(b, a); return 0; }
