#include "../../program.h"
// A function that is called at exit reads what a detached thread still writes.
static int progress;
static void summary(void) {
    printf("%d\n", progress); // expect: race with line 8
}
NOBODY_CARES(work) {
    progress = 7;
    return unused;
}
int main(void) {
    pthread_t t;
    atexit(summary);
    pthread_create(&t, NULL, work, NULL);
    pthread_detach(t);
    return 0;
}
