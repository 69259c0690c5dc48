#include "../../program.h"
static int data;
static sem_t s;
NOBODY_CARES(a) {
    data = 1;
    sem_post(&s);
    return unused;
}
NOBODY_CARES(b) {
    let_others_run();
    if (sem_trywait(&s) == 0)
        data++;
    return unused;
}
int main(void) {
    sem_init(&s, 0, 0);
    run2(a, b);
    return 0;
}
