#include "../../program.h"
// A thread ends the process while main is still at work.
static int state;
static void report(void) {
    state++; // expect: race with line 15
}
NOBODY_CARES(quitter) {
    exit(0);
    return unused;
}
int main(void) {
    pthread_t t;
    atexit(report);
    pthread_create(&t, NULL, quitter, NULL);
    state = 1;
    for (;;)
        pause();
}
