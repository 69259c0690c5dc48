// ways: gcc clang tsan
// A loop that loads the same value again and again is recorded once for each value it saw.
// t0: start; sem_init s 0; sem_init s2 0; fork t1; sem_wait s; astore a u32 release 1; sem_post s2; join t1; exit 0
// t1: start; aload a u32 acquire 0; sem_post s; sem_wait s2; aload a u32 acquire 1; end
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

static atomic_int stage;
static sem_t seen, changed;

static int spin(void) {
    int value = 0;
    for (int turn = 0; turn < 100000; turn++)
        value = atomic_load_explicit(&stage, memory_order_acquire);
    return value;
}

static void *work(void *arg) {
    int before = spin();
    sem_post(&seen);
    sem_wait(&changed);
    return before == 0 && spin() == 1 ? 0 : arg;
}

int main(void) {
    pthread_t thread;
    void *value;
    sem_init(&seen, 0, 0);
    sem_init(&changed, 0, 0);
    pthread_create(&thread, 0, work, &thread);
    sem_wait(&seen);
    atomic_store_explicit(&stage, 1, memory_order_release);
    sem_post(&changed);
    pthread_join(thread, &value);
    return value != 0;
}
