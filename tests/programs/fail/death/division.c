#include "../../program.h"
// Whoever finds nothing in the queue divides by what it found.
static sem_t items;
int average;
NOBODY_CARES(producer) {
    sem_post(&items);
    return unused;
}
NOBODY_CARES(consumer) {
    usleep(20000);
    volatile int found = sem_trywait(&items) == 0;
    average = 100 / found; // expect: crash
    return unused;
}
int main(void) { sem_init(&items, 0, 0); run2(producer, consumer); return 0; }
