#include "../../program.h"
// A message queue; the consumer looks whether it is empty without the lock.
static int queue[8], count;
MUTEX(m);
COND(c);
NOBODY_CARES(producer) {
    for (int i = 0; i < 3; i++) {
        L(m);
        queue[count++] = i; // expect: race with line 16
        pthread_cond_signal(&c);
        U(m);
    }
    return unused;
}
NOBODY_CARES(consumer) {
    while (*(volatile int *)&count < 3)
        usleep(500);
    L(m);
    int last = queue[2];
    U(m);
    return last == 2 ? unused : NULL;
}
int main(void) { run2(producer, consumer); return 0; }
