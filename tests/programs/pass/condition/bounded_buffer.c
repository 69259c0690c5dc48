#include "../../program.h"
#define SIZE 2
static int buffer[SIZE], count, in, out, sum;
MUTEX(m);
COND(not_full);
COND(not_empty);
NOBODY_CARES(producer) {
    for (int i = 1; i <= 6; i++) {
        L(m);
        while (count == SIZE)
            pthread_cond_wait(&not_full, &m);
        buffer[in++ % SIZE] = i;
        count++;
        pthread_cond_signal(&not_empty);
        U(m);
    }
    return unused;
}
NOBODY_CARES(consumer) {
    for (int i = 1; i <= 6; i++) {
        L(m);
        while (count == 0)
            pthread_cond_wait(&not_empty, &m);
        sum += buffer[out++ % SIZE];
        count--;
        pthread_cond_signal(&not_full);
        U(m);
    }
    return unused;
}
int main(void) { run2(producer, consumer); return sum != 21; }
