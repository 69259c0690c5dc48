#include "../../program.h"
// ThreadSanitizer does not know sem_clockwait.
static sem_t s;
static int data;
NOBODY_CARES(a) {
    data = 1;
    sem_post(&s);
    return unused;
}
NOBODY_CARES(b) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    t.tv_sec += 5;
    if (sem_clockwait(&s, CLOCK_MONOTONIC, &t) == 0)
        data++;
    return unused;
}
int main(void) {
    sem_init(&s, 0, 0);
    run2(a, b);
    return 0;
}
