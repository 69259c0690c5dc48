#include "../../program.h"
// Two controls for one table: the initialiser runs twice.
int table;
static pthread_once_t once = PTHREAD_ONCE_INIT, other = PTHREAD_ONCE_INIT;
static void init(void) {
    table = 1; // expect: race
}
NOBODY_CARES(a) {
    pthread_once(&once, init);
    return unused;
}
NOBODY_CARES(b) {
    pthread_once(&other, init);
    return unused;
}
int main(void) { run2(a, b); return 0; }
// fails whenever: nothing
