// A writer publishes 20,000 blocks through plain pointers, and a reader looks at what is there.
#include <pthread.h>
#include <stdlib.h>
enum { BLOCKS = 20000 };
struct block { int number, payload[4]; };
static struct block *table[BLOCKS];
static void *write_all(void *unused) {
    for (int i = 0; i < BLOCKS; i++) {
        struct block *block = malloc(sizeof *block);
        block->number = i;
        block->payload[0] = 2 * i;
        table[i] = block;
    }
    return unused;
}
static void *read_all(void *sum) {
    for (int round = 0; round < 3; round++)
        for (int i = 0; i < BLOCKS; i++)
            if (table[i]) *(long *)sum += table[i]->number + table[i]->payload[0];
    return sum;
}
int main(void) {
    long sum = 0;
    pthread_t a, b;
    pthread_create(&a, NULL, write_all, NULL);
    pthread_create(&b, NULL, read_all, &sum);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
