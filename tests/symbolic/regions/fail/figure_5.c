// Figure 5 of Wang et al.: the access that breaks the region leads to a branch that the recorded run did not take.
#include <foretrace.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int x;

static void *first(void *unused) {
    foretrace_enter("region");
    atomic_store(&x, 0); // expect: atomicity-violation
    int a = atomic_load(&x) + 1;
    if (a == 1)
        atomic_store(&x, 2);
    foretrace_exit("region");
    return unused;
}

static void *second(void *unused) {
    atomic_store(&x, 3);
    int b = atomic_load(&x);
    (void)b;
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
