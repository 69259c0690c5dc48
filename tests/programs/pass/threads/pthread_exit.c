#include "../../program.h"
static int result;
static void leave(void) {
    result = 4;
    pthread_exit(NULL);
}
NOBODY_CARES(a) {
    leave();
    return unused;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, a, NULL);
    pthread_join(t, NULL);
    return result != 4;
}
