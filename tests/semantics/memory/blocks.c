// ways: gcc clang tsan
// keep: alloc free
// flags: -D_GNU_SOURCE -fno-builtin
// Blocks begin and end; one that moves does both.
// t0: start; fork t1; alloc p; join t1; exit 0
// t1: start; alloc p2; free p2; alloc p3; free p3; alloc p3; free p3; alloc p4; free p4; alloc p5; free p5; alloc p6
// t1: free p6; end
#include <pthread.h>
#include <stdlib.h>

static void *work(void *arg) {
    void *block = malloc(10);
    free(block);
    block = calloc(3, 100);
    block = realloc(block, 100000);
    free(block);
    free(0);
    block = aligned_alloc(64, 128);
    free(block);
    if (posix_memalign(&block, 32, 40) != 0)
        return arg;
    block = reallocarray(block, 3, 50000);
    free(block);
    return 0;
}

int main(void) {
    pthread_t thread;
    void *value;
    pthread_create(&thread, 0, work, &thread);
    pthread_join(thread, &value);
    return value != 0;
}
