#include "../../program.h"
static int *table;
static int size, used;
MUTEX(m);
NOBODY_CARES(a) {
    for (int i = 0; i < 20; i++) {
        L(m);
        if (used == size)
            table = realloc(table, (size += 16) * sizeof *table);
        table[used++] = i;
        U(m);
    }
    return unused;
}
int main(void) {
    run2(a, a);
    free(table);
    return used != 40;
}
