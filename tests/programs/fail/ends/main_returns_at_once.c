#include "../../program.h"
// Main does not wait for the thread it has detached, and returns at once.
int shared;
NOBODY_CARES(a) {
    shared = 1; // expect: race with line 12
    return unused;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, a, NULL);
    pthread_detach(t);
    shared = 2;
    return 0;
}
