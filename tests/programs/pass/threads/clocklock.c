#include "../../program.h"
static int count;
MUTEX(m);
NOBODY_CARES(a) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    t.tv_sec += 5;
    if (pthread_mutex_clocklock(&m, CLOCK_MONOTONIC, &t) == 0) {
        count++;
        U(m);
    }
    return unused;
}
int main(void) { run2(a, a); return count != 2; }
