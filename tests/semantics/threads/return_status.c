// exit: 9
// What main returns is the status the program ends with.
// t0: start; fork t1; join t1; exit 9
// t1: start; end
#include <pthread.h>

static void *work(void *arg) { return arg; }

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    return 9;
}
