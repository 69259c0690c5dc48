#include "../../program.h"
// Whoever finds the list empty frees it; everybody looks under the lock.
static int *shared;
MUTEX(m);
NOBODY_CARES(a) {
    L(m);
    if (shared && ++shared[0] == 2) {
        free(shared);
        shared = NULL;
    }
    U(m);
    return unused;
}
int main(void) {
    shared = calloc(2, sizeof *shared);
    run3(a, a, a);
    return shared != NULL;
}
