// fails: race
// A thread frees what another still uses if it finds a flag set.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int finished;
static int *shared;

static void *worker(void *unused) {
    *shared = 1;
    atomic_store(&finished, 1);
#ifndef FIXED
    *shared = 2;
#endif
    return unused;
}

int main(void) {
    shared = malloc(sizeof *shared);
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    if (atomic_load(&finished))
        free(shared);
    pthread_join(thread, NULL);
    return 0;
}
