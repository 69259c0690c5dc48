#include "../../program.h"
static int *table;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static void init(void) {
    table = calloc(4, sizeof *table);
}
NOBODY_CARES(a) {
    pthread_once(&once, init);
    return table[0] == 0 ? unused : NULL;
}
int main(void) { run2(a, a); return 0; }
