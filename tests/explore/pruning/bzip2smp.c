// In the shape of bzip2smp: the main thread reads blocks into numbered slots, others compress them, and the results are written
// in order. All that is shared is accessed under locks.
#include <pthread.h>

#ifndef THREADS
#define THREADS 2
#endif
#define BLOCKS 2

pthread_mutex_t blocks_lock = PTHREAD_MUTEX_INITIALIZER, written_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t done_lock = PTHREAD_MUTEX_INITIALIZER;
int next_block, sizes[BLOCKS], written, done;

static int compress(int block) {
    unsigned sum = (unsigned)block;
    for (int i = 0; i < 10; i++)
        sum = sum * 31 + (unsigned)i;
    return (int)(sum % 7);
}

static void *worker(void *none) {
    for (;;) {
        pthread_mutex_lock(&blocks_lock);
        int block = next_block < BLOCKS ? next_block++ : -1;
        pthread_mutex_unlock(&blocks_lock);
        if (block < 0)
            break;
        int size = compress(block);
        pthread_mutex_lock(&written_lock);
        sizes[block] = size;
        written += size;
        pthread_mutex_unlock(&written_lock);
    }
    pthread_mutex_lock(&done_lock);
    done++;
    pthread_mutex_unlock(&done_lock);
    return none;
}

int main(void) {
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], 0, worker, 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], 0);
    return done != THREADS;
}
