#include "../../program.h"
static int data;
static sem_t s;
NOBODY_CARES(a) {
    data = 1;
    sem_post(&s);
    return unused;
}
NOBODY_CARES(b) {
    sem_wait(&s);
    return data ? unused : NULL;
}
int main(void) {
    sem_init(&s, 0, 0);
    run2(a, b);
    return 0;
}
