#include "../../program.h"
static int value;
NOBODY_CARES(a) {
    value++;
    return unused;
}
int main(void) {
    pthread_t t;
    value = 1;
    pthread_create(&t, NULL, a, NULL);
    pthread_join(t, NULL);
    value++;
    return value != 3;
}
