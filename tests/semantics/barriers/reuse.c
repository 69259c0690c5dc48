// A barrier passed twice, destroyed, and made again for another number of threads.
// t0: start; barrier_init b 2; fork t1; barrier_enter b; barrier_exit b; barrier_enter b; barrier_exit b; join t1
// t0: barrier_destroy b; barrier_init b 3; fork t2; fork t3; barrier_enter b; barrier_exit b; join t2; join t3
// t0: exit 0
// t1: start; barrier_enter b; barrier_exit b; barrier_enter b; barrier_exit b; end
// t2: start; barrier_enter b; barrier_exit b; end
// t3: start; barrier_enter b; barrier_exit b; end
#include <pthread.h>

static pthread_barrier_t barrier;

static void *twice(void *arg) {
    pthread_barrier_wait(&barrier);
    pthread_barrier_wait(&barrier);
    return arg;
}

static void *once(void *arg) {
    pthread_barrier_wait(&barrier);
    return arg;
}

int main(void) {
    pthread_t threads[2];
    pthread_barrier_init(&barrier, 0, 2);
    pthread_create(&threads[0], 0, twice, 0);
    twice(0);
    pthread_join(threads[0], 0);
    pthread_barrier_destroy(&barrier);
    if (pthread_barrier_init(&barrier, 0, 0) == 0)
        return 1;
    pthread_barrier_init(&barrier, 0, 3);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], 0, once, 0);
    once(0);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], 0);
    return 0;
}
