#include "../../program.h"
// Either of two threads may have posted.
static int data;
static sem_t s;
NOBODY_CARES(a) {
    data = 1; // expect: race with line 16
    sem_post(&s);
    return unused;
}
NOBODY_CARES(b) {
    let_others_run();
    sem_post(&s);
    return unused;
}
NOBODY_CARES(c) {
    sem_wait(&s); data++;
    sem_wait(&s);
    return unused;
}
int main(void) {
    sem_init(&s, 0, 0);
    run3(a, b, c);
    return 0;
}
// fails whenever: 16 before 7
