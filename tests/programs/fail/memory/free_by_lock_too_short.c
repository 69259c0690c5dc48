#include "../../program.h"
// The pointer is read under the lock, the block used after it.
static int *current;
MUTEX(m);
NOBODY_CARES(user) {
    L(m);
    int *mine = current;
    U(m);
    return mine && *mine < 0 ? NULL : unused; // expect: race with line 16
}
NOBODY_CARES(owner) {
    let_others_run();
    L(m);
    int *old = current;
    current = NULL;
    free(old);
    U(m);
    return unused;
}
int main(void) {
    current = calloc(4, sizeof *current);
    run2(user, owner);
    return 0;
}
// fails whenever: 6 before 13
