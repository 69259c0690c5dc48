#include "../../program.h"
// ThreadSanitizer does not know pthread_clockjoin_np.
static int data;
NOBODY_CARES(a) {
    data = 1;
    return unused;
}
int main(void) {
    pthread_t thread;
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    t.tv_sec += 5;
    pthread_create(&thread, NULL, a, NULL);
    if (pthread_clockjoin_np(thread, NULL, CLOCK_MONOTONIC, &t) == 0)
        data++;
    return 0;
}
