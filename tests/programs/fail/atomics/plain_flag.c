#include "../../program.h"
// A flag that is not atomic.
static int data;
static volatile int ready;
NOBODY_CARES(a) {
    data = 5; // expect: race with line 13
    ready = 1; // expect: race with line 11
    return unused;
}
NOBODY_CARES(b) {
    while (!ready)
        usleep(100);
    return data == 5 ? unused : NULL;
}
int main(void) { run2(a, b); return 0; }
// fails whenever: nothing
