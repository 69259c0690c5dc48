// The lock of a stream, taken by hand, again, and tried.
// t0: start; lock m stream; fork t1; join t1; lock m stream; unlock m stream; unlock m stream; lock m stream try
// t0: unlock m stream; exit 0
// t1: start; flock m stream try; end
#include <pthread.h>
#include <stdio.h>

static void *work(void *arg) { return ftrylockfile(stderr) == 0 ? arg : 0; }

int main(void) {
    pthread_t thread;
    void *value;
    flockfile(stderr);
    pthread_create(&thread, 0, work, &thread);
    pthread_join(thread, &value);
    flockfile(stderr);
    funlockfile(stderr);
    funlockfile(stderr);
    if (ftrylockfile(stderr) != 0)
        return 1;
    funlockfile(stderr);
    return value != 0;
}
