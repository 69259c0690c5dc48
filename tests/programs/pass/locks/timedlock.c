#include "../../program.h"
static int count;
MUTEX(m);
NOBODY_CARES(a) {
    struct timespec t = in_milliseconds(500);
    if (pthread_mutex_timedlock(&m, &t) == 0) {
        count++;
        U(m);
    }
    return unused;
}
int main(void) { run2(a, a); return 0; }
