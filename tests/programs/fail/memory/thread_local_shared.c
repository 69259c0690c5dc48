#include "../../program.h"
// Thread-local, but its address has been given away.
static __thread int mine;
static int *given;
static sem_t s;
NOBODY_CARES(a) {
    given = &mine;
    sem_post(&s);
    mine++; // expect: race with line 15
    usleep(6000);
    return unused;
}
NOBODY_CARES(b) {
    sem_wait(&s);
    *given += 1;
    return unused;
}
int main(void) {
    sem_init(&s, 0, 0);
    run2(a, b);
    return 0;
}
// fails whenever: nothing
