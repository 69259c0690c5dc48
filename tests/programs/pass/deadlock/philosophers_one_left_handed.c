#include "../../program.h"
static pthread_mutex_t fork_[3];
static int meals[3];
NOBODY_CARES(philosopher) {
    int me = (int)(intptr_t)unused;
    int first = me == 2 ? 0 : me, second = me == 2 ? 2 : me + 1;
    L(fork_[first]);
    L(fork_[second]);
    meals[me]++;
    U(fork_[second]);
    U(fork_[first]);
    return NULL;
}
int main(void) {
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_mutex_init(&fork_[i], NULL);
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, philosopher, (void *)(intptr_t)i);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return 0;
}
