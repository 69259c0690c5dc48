// flags: --atomic-sections
// Both reads of the total are in one critical section; the reset does not take the lock.
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
atomic_int total = 3;
int share;

static void *divide(void *unused) {
    pthread_mutex_lock(&m);
    if (atomic_load(&total) > 0) // expect: atomicity-violation
        share = 12 * atomic_load(&total);
    pthread_mutex_unlock(&m);
    return unused;
}

static void *reset(void *unused) {
    atomic_store(&total, 0);
    return unused;
}

int main(void) {
    pthread_t one, other;
    pthread_create(&one, 0, divide, 0);
    pthread_create(&other, 0, reset, 0);
    pthread_join(one, 0);
    pthread_join(other, 0);
    return 0;
}
