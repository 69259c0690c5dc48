#include "../../program.h"
static int data;
static sem_t s;
NOBODY_CARES(a) {
    sem_post(&s);
    data = 1; // expect: race with line 12
    return unused;
}
NOBODY_CARES(b) {
    sem_wait(&s);
    let_others_run();
    return data > 1 ? NULL : unused;
}
int main(void) {
    sem_init(&s, 0, 0);
    run2(a, b);
    return 0;
}
// fails whenever: nothing
