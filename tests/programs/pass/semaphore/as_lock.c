#include "../../program.h"
static int count;
static sem_t s;
NOBODY_CARES(a) {
    sem_wait(&s);
    count++;
    sem_post(&s);
    return unused;
}
int main(void) {
    sem_init(&s, 0, 1);
    run2(a, a);
    return count != 2;
}
