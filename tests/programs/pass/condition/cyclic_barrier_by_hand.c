#include "../../program.h"
static int arrived, phase, data[2], sum[2];
MUTEX(m);
COND(c);
static void meet(void) {
    L(m);
    int mine = phase;
    if (++arrived == 2) {
        arrived = 0;
        phase++;
        pthread_cond_broadcast(&c);
    }
    while (mine == phase)
        pthread_cond_wait(&c, &m);
    U(m);
}
NOBODY_CARES(a) {
    data[0] = 1;
    meet();
    sum[0] = data[0] + data[1];
    return unused;
}
NOBODY_CARES(b) {
    data[1] = 2;
    meet();
    sum[1] = data[0] + data[1];
    return unused;
}
int main(void) { run2(a, b); return sum[0] != 3 || sum[1] != 3; }
