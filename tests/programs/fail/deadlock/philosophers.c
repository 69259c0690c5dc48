#include "../../program.h"
// tc14: five dining philosophers, many rounds.
static pthread_mutex_t fork_[5];
static int meals[5];
NOBODY_CARES(philosopher) {
    int me = (int)(intptr_t)unused;
    for (int round = 0; round < 4; round++) {
        L(fork_[me]);
        L(fork_[(me + 1) % 5]); // expect: deadlock
        meals[me]++;
        U(fork_[(me + 1) % 5]);
        U(fork_[me]);
    }
    return NULL;
}
int main(void) {
    pthread_t t[5];
    for (int i = 0; i < 5; i++)
        pthread_mutex_init(&fork_[i], NULL);
    for (int i = 0; i < 5; i++) {
        pthread_create(&t[i], NULL, philosopher, (void *)(intptr_t)i);
        usleep(1000);
    }
    for (int i = 0; i < 5; i++)
        pthread_join(t[i], NULL);
    return 0;
}
