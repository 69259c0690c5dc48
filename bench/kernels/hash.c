// A hash table with chains and striped locks, filled and read by four threads. Many short segments, scattered accesses.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { BUCKETS = 1 << 15, STRIPES = 64, THREADS = 4, OPERATIONS = 800000, KEYS = 1 << 17 };

struct node {
    unsigned key, count;
    struct node *next;
};

static struct node *buckets[BUCKETS];
static pthread_mutex_t stripes[STRIPES];

static void count(unsigned key) {
    unsigned bucket = (key * 2654435761u) >> 17;
    pthread_mutex_t *stripe = &stripes[bucket % STRIPES];
    pthread_mutex_lock(stripe);
    struct node *node = buckets[bucket];
    while (node && node->key != key) node = node->next;
    if (!node) {
        node = malloc(sizeof *node);
        node->key = key;
        node->count = 0;
        node->next = buckets[bucket];
        buckets[bucket] = node;
    }
    node->count++;
    pthread_mutex_unlock(stripe);
}

static void *work(void *arg) {
    unsigned state = (unsigned)(long)arg * 7919 + 1;
    for (int i = 0; i < OPERATIONS; i++) {
        state = state * 1664525u + 1013904223u;
        count((state >> 8) % KEYS);
    }
    return NULL;
}

int main(void) {
    for (int i = 0; i < STRIPES; i++) pthread_mutex_init(&stripes[i], NULL);
    pthread_t threads[THREADS];
    for (long i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    unsigned long total = 0, weighted = 0;
    for (int i = 0; i < BUCKETS; i++)
        for (struct node *node = buckets[i]; node; node = node->next) {
            total += node->count;
            weighted += (unsigned long)node->key * node->count;
        }
    printf("%lu %lu\n", total, weighted);
    return 0;
}
