#include "../../program.h"
static int sum;
static pthread_t child;
NOBODY_CARES(leaf) {
    sum += 1; // expect: race with line 16
    return unused;
}
NOBODY_CARES(middle) {
    pthread_create(&child, NULL, leaf, NULL);
    return unused;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, middle, NULL);
    pthread_join(t, NULL);
    sum += 1;
    pthread_join(child, NULL);
    return 0;
}
// fails whenever: nothing
