#include "../../program.h"
// A cycle of four locks over four threads.
static pthread_mutex_t m[4];
NOBODY_CARES(a) {
    int me = (int)(intptr_t)unused;
    usleep(me * 1500);
    L(m[me]);
    L(m[(me + 1) % 4]); // expect: deadlock
    U(m[(me + 1) % 4]);
    U(m[me]);
    return NULL;
}
int main(void) {
    pthread_t t[4];
    for (int i = 0; i < 4; i++)
        pthread_mutex_init(&m[i], NULL);
    for (int i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, a, (void *)(intptr_t)i);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    return 0;
}
