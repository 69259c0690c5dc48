#include "../../program.h"
// More locks held at once than ThreadSanitizer's detector can count.
static pthread_mutex_t m[150];
NOBODY_CARES(a) {
    for (int i = 0; i < 150; i++)
        L(m[i]);
    for (int i = 149; i >= 0; i--)
        U(m[i]);
    return unused;
}
int main(void) {
    for (int i = 0; i < 150; i++)
        pthread_mutex_init(&m[i], NULL);
    run2(a, a);
    return 0;
}
