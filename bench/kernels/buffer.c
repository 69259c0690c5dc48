// A bounded buffer: two producers and two consumers pass a million items through it with condition variables. It is all
// synchronisation and hardly any work.
#include <pthread.h>
#include <stdio.h>

enum { ITEMS = 1000000, SIZE = 256, PAIRS = 2 };

static int buffer[SIZE];
static int first, filled;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER, not_empty = PTHREAD_COND_INITIALIZER;

static void put(int item) {
    pthread_mutex_lock(&lock);
    while (filled == SIZE) pthread_cond_wait(&not_full, &lock);
    buffer[(first + filled) % SIZE] = item;
    filled++;
    pthread_cond_signal(&not_empty);
    pthread_mutex_unlock(&lock);
}

static int take(void) {
    pthread_mutex_lock(&lock);
    while (filled == 0) pthread_cond_wait(&not_empty, &lock);
    int item = buffer[first];
    first = (first + 1) % SIZE;
    filled--;
    pthread_cond_signal(&not_full);
    pthread_mutex_unlock(&lock);
    return item;
}

static void *produce(void *arg) {
    int self = (int)(long)arg;
    for (int i = self; i < ITEMS; i += PAIRS) put(i);
    return NULL;
}

static void *consume(void *arg) {
    unsigned long sum = 0;
    (void)arg;
    for (int i = 0; i < ITEMS / PAIRS; i++) sum += (unsigned)take();
    return (void *)sum;
}

int main(void) {
    pthread_t producers[PAIRS], consumers[PAIRS];
    for (long i = 0; i < PAIRS; i++) {
        pthread_create(&producers[i], NULL, produce, (void *)i);
        pthread_create(&consumers[i], NULL, consume, NULL);
    }
    unsigned long total = 0;
    for (int i = 0; i < PAIRS; i++) {
        void *sum;
        pthread_join(producers[i], NULL);
        pthread_join(consumers[i], &sum);
        total += (unsigned long)sum;
    }
    printf("%lu\n", total);
    return 0;
}
