// Threads create threads; numbers go in the order of creation.
// t0: start; fork t1; join t1; fork t3; join t3; exit 0
// t1: start; fork t2; join t2; end
// t2: start; end
// t3: start; fork t4; join t4; end
// t4: start; end
#include <pthread.h>

static void *leaf(void *arg) { return arg; }

static void *branch(void *arg) {
    pthread_t thread;
    pthread_create(&thread, 0, leaf, 0);
    pthread_join(thread, 0);
    return arg;
}

int main(void) {
    for (int i = 0; i < 2; i++) {
        pthread_t thread;
        pthread_create(&thread, 0, branch, 0);
        pthread_join(thread, 0);
    }
    return 0;
}
