#include "../../program.h"
#define SIZE 2
static int buffer[SIZE], sum;
static sem_t full, empty;
NOBODY_CARES(producer) {
    for (int i = 0; i < 5; i++) {
        sem_wait(&empty);
        buffer[i % SIZE] = i;
        sem_post(&full);
    }
    return unused;
}
NOBODY_CARES(consumer) {
    for (int i = 0; i < 5; i++) {
        sem_wait(&full);
        sum += buffer[i % SIZE];
        sem_post(&empty);
    }
    return unused;
}
int main(void) {
    sem_init(&full, 0, 0);
    sem_init(&empty, 0, SIZE);
    run2(producer, consumer);
    return sum != 10;
}
