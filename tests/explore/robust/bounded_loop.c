// A loop that looks for work gives up after some rounds in which there is none: it waits for nobody.
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_int jobs, done;

static void *work(void *unused) {
    for (int round = 0; round < 50; round++) {
        if (atomic_load(&jobs) > 0) {
            atomic_fetch_sub(&jobs, 1);
            atomic_fetch_add(&done, 1);
        }
        sched_yield();
    }
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    atomic_fetch_add(&jobs, 1);
    pthread_join(thread, NULL);
    return 0;
}
