// Table 2 of Wang et al., bank-av, -sav and -nav: THREADS threads in pairs, each pair with four accounts; the whole work of a
// thread is a region. PROTECTED accounts are worked on by the second thread only after the first has said so.
#include <foretrace.h>
#include <pthread.h>
#include <stdatomic.h>

#define ACCOUNTS 4
#define PAIRS (THREADS / 2)

atomic_int accounts[PAIRS][ACCOUNTS];
atomic_int turn[PAIRS];

static void pay(int pair, int from, int to) {
    for (int i = from; i < to; i++) {
        int seen = atomic_load(&accounts[pair][i]);
        atomic_store(&accounts[pair][i], seen + 1);
    }
}

static void *first(void *number) {
    int pair = (int)(long)number;
    foretrace_enter("first");
    pay(pair, 0, PROTECTED);
    atomic_store(&turn[pair], 1);
    pay(pair, PROTECTED, ACCOUNTS);
    foretrace_exit("first");
    return number;
}

static void *second(void *number) {
    int pair = (int)(long)number;
    foretrace_enter("second");
    pay(pair, PROTECTED, ACCOUNTS);
    if (PROTECTED == 0 || atomic_load(&turn[pair]))
        pay(pair, 0, PROTECTED);
    foretrace_exit("second");
    return number;
}

int main(void) {
    pthread_t threads[THREADS];
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], 0, i % 2 ? second : first, (void *)(i / 2));
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], 0);
    for (int i = 0; i < 2 * PAIRS * ACCOUNTS; i++)
        atomic_store(&accounts[i / ACCOUNTS % PAIRS][i % ACCOUNTS], 0);
    return 0;
}
