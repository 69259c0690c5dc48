// Figure 9 (a) of Wang et al.: the write comes only when the region has been left, as the data says.
#include <foretrace.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int x;

static void *first(void *unused) {
    foretrace_enter("region");
    int a = atomic_load(&x);
    atomic_store(&x, a + 1);
    foretrace_exit("region");
    return unused;
}

static void *second(void *unused) {
    int b = atomic_load(&x);
    if (b > 0)
        atomic_store(&x, b + 2);
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
