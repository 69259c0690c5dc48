// Figure 9 (b) of Wang et al.: the write waits for a signal that comes at the end of the region.
#include <foretrace.h>
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int done;
atomic_int x;

static void *first(void *unused) {
    foretrace_enter("region");
    atomic_store(&x, 1);
    int a = atomic_load(&x) + 1;
    (void)a;
    foretrace_exit("region");
    pthread_mutex_lock(&m);
    done = 1;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    return unused;
}

static void *second(void *unused) {
    pthread_mutex_lock(&m);
    while (!done)
        pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
    atomic_store(&x, 3);
    return unused;
}

int main(void) {
    pthread_t one, other;
    pthread_create(&one, 0, first, 0);
    pthread_create(&other, 0, second, 0);
    pthread_join(one, 0);
    pthread_join(other, 0);
    return 0;
}
