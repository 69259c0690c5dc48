#include "../../program.h"
static int ready, data, out[2];
MUTEX(m);
COND(c);
static int get(void) {
    L(m);
    while (!ready)
        pthread_cond_wait(&c, &m);
    U(m);
    return data;
}
NOBODY_CARES(a) {
    out[0] = get();
    return unused;
}
NOBODY_CARES(b) {
    out[1] = get();
    return unused;
}
NOBODY_CARES(d) {
    let_others_run();
    data = 3;
    L(m);
    ready = 1;
    pthread_cond_broadcast(&c);
    U(m);
    return unused;
}
int main(void) { run3(a, b, d); return out[0] + out[1] != 6; }
