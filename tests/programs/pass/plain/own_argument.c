#include "../../program.h"
static int out[4];
NOBODY_CARES(a) {
    int *mine = unused;
    *mine += 1;
    return NULL;
}
int main(void) {
    pthread_t t[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, a, &out[i]);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    return out[3] != 1;
}
