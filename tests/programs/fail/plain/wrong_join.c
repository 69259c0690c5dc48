#include "../../program.h"
// Two threads, and only one of them is joined before the result is read.
static int value;
NOBODY_CARES(a) {
    return unused;
}
NOBODY_CARES(b) {
    value = 1; // expect: race with line 16
    return unused;
}
int main(void) {
    pthread_t one, two;
    pthread_create(&one, NULL, a, NULL);
    pthread_create(&two, NULL, b, NULL);
    pthread_join(one, NULL);
    int seen = value;
    pthread_join(two, NULL);
    return seen > 1;
}
// fails whenever: nothing
