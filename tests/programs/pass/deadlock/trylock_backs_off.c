#include "../../program.h"
// Opposite orders, but one side only tries and backs off.
MUTEX(m);
MUTEX(n);
NOBODY_CARES(a) {
    L(m);
    L(n);
    U(n);
    U(m);
    return unused;
}
NOBODY_CARES(b) {
    for (;;) {
        L(n);
        if (pthread_mutex_trylock(&m) == 0)
            break;
        U(n);
        usleep(200);
    }
    U(m);
    U(n);
    return unused;
}
int main(void) { run2(a, b); return 0; }
