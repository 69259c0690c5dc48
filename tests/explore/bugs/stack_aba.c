// fails: crash
// A lock-free stack: a node is taken off and pushed again between the load and the compare-and-swap of another thread.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

// The low bits are an index into the nodes, 0 for none; the rest is a count of changes.
static atomic_uint top;
static atomic_uint next[4];
static atomic_int owned[4];

static unsigned with_count(unsigned old, unsigned index) {
#ifdef FIXED
    return ((old & ~15u) + 16) | index;
#else
    (void)old;
    return index;
#endif
}

static void push(unsigned index) {
    unsigned old;
    do {
        old = atomic_load(&top);
        atomic_store(&next[index], old & 15);
    } while (!atomic_compare_exchange_strong(&top, &old, with_count(old, index)));
}

static unsigned pop(void) {
    for (;;) {
        unsigned old = atomic_load(&top);
        unsigned index = old & 15;
        if (index == 0)
            return 0;
        unsigned then = atomic_load(&next[index]);
        if (atomic_compare_exchange_strong(&top, &old, with_count(old, then)))
            return index;
    }
}

static void take(unsigned index) {
    if (index != 0)
        assert(atomic_exchange(&owned[index], 1) == 0);
}

static void *one(void *unused) {
    take(pop());
    return unused;
}

static void *other(void *unused) {
    unsigned first = pop();
    take(first);
    take(pop());
    if (first != 0) {
        atomic_store(&owned[first], 0);
        push(first);
    }
    return unused;
}

int main(void) {
    push(1);
    push(2);
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, one, NULL);
    pthread_create(&threads[1], NULL, other, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    take(pop());
    return 0;
}
