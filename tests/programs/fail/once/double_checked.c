#include "../../program.h"
int *instance;
MUTEX(m);
static int *get(void) {
    if (!instance) { // expect: race with line 8
        L(m);
        if (!instance)
            instance = malloc(4);
        U(m);
    }
    return instance; // may: race with line 8
}
NOBODY_CARES(a) {
    return get() ? unused : NULL;
}
int main(void) { run2(a, a); return 0; }
// fails whenever: nothing
