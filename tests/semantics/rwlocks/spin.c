// Spin locks, taken and tried.
// t0: start; lock_init m spin; lock m spin; fork t1; join t1; unlock m spin; lock m spin try; unlock m spin
// t0: lock_destroy m; exit 0
// t1: start; flock m spin try; end
#include <errno.h>
#include <pthread.h>

static pthread_spinlock_t lock;

static void *work(void *arg) { return pthread_spin_trylock(&lock) == EBUSY ? 0 : arg; }

int main(void) {
    pthread_t thread;
    void *value;
    pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
    pthread_spin_lock(&lock);
    pthread_create(&thread, 0, work, &thread);
    pthread_join(thread, &value);
    pthread_spin_unlock(&lock);
    if (pthread_spin_trylock(&lock) != 0)
        return 1;
    pthread_spin_unlock(&lock);
    pthread_spin_destroy(&lock);
    return value != 0;
}
