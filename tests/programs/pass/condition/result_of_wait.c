#include "../../program.h"
// A buffer whose threads look at what pthread_cond_wait returns, as POSIX lets them: it returns 0, also when it wakes for
// no reason, and never ETIMEDOUT.
static int queue[2], count, closed, lost;
MUTEX(m);
COND(not_empty);
COND(not_full);
static int wait_on(pthread_cond_t *c) {
    int result = pthread_cond_wait(c, &m);
    if (result != 0) {
        U(m);
        lost = count; // without the lock
    }
    return result;
}
NOBODY_CARES(producer) {
    for (int i = 0; i < 4; i++) {
        L(m);
        while (count == 2)
            if (wait_on(&not_full) != 0)
                return NULL;
        queue[count++] = i;
        pthread_cond_signal(&not_empty);
        U(m);
    }
    L(m);
    closed = 1;
    pthread_cond_broadcast(&not_empty);
    U(m);
    return unused;
}
NOBODY_CARES(consumer) {
    int sum = 0;
    for (;;) {
        L(m);
        while (count == 0 && !closed)
            if (wait_on(&not_empty) != 0)
                return NULL;
        if (count == 0)
            break;
        sum += queue[--count];
        pthread_cond_signal(&not_full);
        U(m);
    }
    U(m);
    return sum < 0 ? NULL : unused;
}
int main(void) { run3(consumer, producer, consumer); return lost < 0; }
