// Table 2 of Wang et al., atom001 and atom002: a region reads and writes a variable under a lock. Another thread writes it
// REMOTE times, of which only the first is under the lock; in the FIXED version the others wait until the region has been
// left. At the end, main writes it LATER times.
#include <foretrace.h>
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
atomic_int x, flag;

static void *region(void *unused) {
    pthread_mutex_lock(&m);
    foretrace_enter("region");
    int a = atomic_load(&x);
    atomic_store(&x, a + 1);
    foretrace_exit("region");
    pthread_mutex_unlock(&m);
    atomic_store(&flag, 1);
    return unused;
}

static void *remote(void *unused) {
    pthread_mutex_lock(&m);
    atomic_store(&x, 7);
    pthread_mutex_unlock(&m);
#ifdef FIXED
    if (atomic_load(&flag) == 0)
        return unused;
#endif
    for (int i = 1; i < REMOTE; i++)
        atomic_store(&x, i);
    return unused;
}

int main(void) {
    pthread_t one, other;
    pthread_create(&one, 0, region, 0);
    pthread_create(&other, 0, remote, 0);
    pthread_join(one, 0);
    pthread_join(other, 0);
    for (int i = 0; i < LATER; i++)
        atomic_store(&x, i);
    return 0;
}
