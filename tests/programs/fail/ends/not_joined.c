#include "../../program.h"
// Main forgets to join the second thread, which comes to its write long after main has returned.
static int total;
NOBODY_CARES(quick) { return unused; }
NOBODY_CARES(slow) {
    usleep(60000);
    total += 1; // expect: race with line 15
    return unused;
}
int main(void) {
    pthread_t one, two;
    pthread_create(&one, NULL, quick, NULL);
    pthread_create(&two, NULL, slow, NULL);
    pthread_join(one, NULL);
    printf("%d\n", total);
    return 0;
}
