// fails: deadlock
// A barrier for three threads, of which one leaves early if it finds a flag set.
#include <pthread.h>
#include <stdatomic.h>

static pthread_barrier_t barrier;
static atomic_int stop;

static void *work(void *unused) {
#ifndef FIXED
    if (atomic_load(&stop))
        return unused;
#endif
    pthread_barrier_wait(&barrier);
    atomic_store(&stop, 1);
    return unused;
}

static void *stopper(void *unused) {
    atomic_store(&stop, 1);
    return unused;
}

int main(void) {
    pthread_t threads[3];
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&threads[0], NULL, work, NULL);
    pthread_create(&threads[1], NULL, work, NULL);
    pthread_create(&threads[2], NULL, stopper, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
