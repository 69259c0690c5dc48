// Four threads follow pointers through one shuffled ring and write to their own rings. There is no locality and no
// arithmetic.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { NODES = 1 << 16, THREADS = 4, STEPS = 3000000 };

struct node {
    struct node *next;
    unsigned long value, visits;
};

static struct node *ring(unsigned seed) {
    struct node *nodes = malloc(sizeof *nodes * NODES);
    unsigned *order = malloc(sizeof *order * NODES);
    for (unsigned i = 0; i < NODES; i++) order[i] = i;
    for (unsigned i = NODES - 1; i > 0; i--) {
        seed = seed * 1664525u + 1013904223u;
        unsigned j = (seed >> 4) % (i + 1), t = order[i];
        order[i] = order[j];
        order[j] = t;
    }
    for (unsigned i = 0; i < NODES; i++) {
        nodes[order[i]].next = &nodes[order[(i + 1) % NODES]];
        nodes[order[i]].value = i;
        nodes[order[i]].visits = 0;
    }
    free(order);
    return nodes;
}

static struct node *shared;

static void *work(void *arg) {
    struct node *own = ring((unsigned)(long)arg + 2), *there = shared;
    unsigned long sum = 0;
    for (int i = 0; i < STEPS; i++) {
        sum += there->value;
        own->visits++;
        there = there->next;
        own = own->next;
    }
    return (void *)sum;
}

int main(void) {
    shared = ring(1);
    pthread_t threads[THREADS];
    for (long i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, work, (void *)i);
    unsigned long total = 0;
    for (int i = 0; i < THREADS; i++) {
        void *sum;
        pthread_join(threads[i], &sum);
        total += (unsigned long)sum;
    }
    printf("%lu\n", total);
    return 0;
}
