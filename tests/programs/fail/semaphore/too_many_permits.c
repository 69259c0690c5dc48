#include "../../program.h"
// A semaphore of two is no lock.
static int count;
static sem_t s;
NOBODY_CARES(a) {
    sem_wait(&s);
    count++; // expect: race
    sem_post(&s);
    return unused;
}
int main(void) {
    sem_init(&s, 0, 2);
    run2(a, a);
    return 0;
}
// fails whenever: 6 before 8
