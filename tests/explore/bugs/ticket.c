// fails: crash
// A ticket lock whose tickets are drawn in two steps: two threads have the same one.
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_int tickets, serving, inside;

static int draw(void) {
#ifdef FIXED
    return atomic_fetch_add(&tickets, 1);
#else
    int ticket = atomic_load(&tickets);
    atomic_store(&tickets, ticket + 1);
    return ticket;
#endif
}

static void *enter(void *unused) {
    int ticket = draw();
    while (atomic_load(&serving) < ticket)
        sched_yield();
    assert(atomic_fetch_add(&inside, 1) == 0);
    atomic_fetch_sub(&inside, 1);
    atomic_fetch_add(&serving, 1);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, enter, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
