#include "../../program.h"
// A table grows without the lock that its readers take.
static int *table;
MUTEX(m);
NOBODY_CARES(a) {
    L(m);
    int seen = table[3]; // expect: race with line 13
    U(m);
    return seen < 0 ? NULL : unused;
}
NOBODY_CARES(b) {
    let_others_run();
    int *larger = realloc(table, 4000 * sizeof *table);
    L(m);
    table = larger;
    U(m);
    return unused;
}
int main(void) {
    table = calloc(8, sizeof *table);
    run2(a, b);
    free(table);
    return 0;
}
// fails whenever: 6 before 14
