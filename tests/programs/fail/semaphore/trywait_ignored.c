#include "../../program.h"
int data;
static sem_t s;
NOBODY_CARES(a) {
    data = 1; // expect: race with line 12
    sem_post(&s);
    return unused;
}
NOBODY_CARES(b) {
    let_others_run();
    sem_trywait(&s);
    return data > 1 ? NULL : unused;
}
int main(void) {
    sem_init(&s, 0, 0);
    run2(a, b);
    return 0;
}
