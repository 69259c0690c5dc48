#include "../../program.h"
// Locks at the same addresses as earlier ones, in the other order: they are other locks.
NOBODY_CARES(a) {
    for (int i = 0; i < 4; i++) {
        pthread_mutex_t *pair = malloc(2 * sizeof *pair);
        pthread_mutex_init(&pair[0], NULL);
        pthread_mutex_init(&pair[1], NULL);
        L(pair[i % 2]);
        L(pair[1 - i % 2]);
        U(pair[1 - i % 2]);
        U(pair[i % 2]);
        pthread_mutex_destroy(&pair[0]);
        pthread_mutex_destroy(&pair[1]);
        free(pair);
    }
    return unused;
}
int main(void) { run2(a, a); return 0; }
