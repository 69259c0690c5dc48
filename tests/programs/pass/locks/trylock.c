#include "../../program.h"
static int count, missed;
MUTEX(m);
NOBODY_CARES(a) {
    L(m);
    count++;
    U(m);
    return unused;
}
NOBODY_CARES(b) {
    if (pthread_mutex_trylock(&m) == 0) {
        count++;
        U(m);
    } else {
        missed++;
    }
    return unused;
}
int main(void) { run2(a, b); return count + missed != 2; }
