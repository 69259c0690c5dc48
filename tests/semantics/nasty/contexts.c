// Threads that switch between contexts of their own, with locks on each.
#include "nasty.h"

struct pair {
    ucontext_t back, other;
    int turns;
};

static void body(unsigned high, unsigned low) {
    struct pair *pair = (struct pair *)(((uintptr_t)high << 32) | low);
    for (;;) {
        pthread_mutex_lock(&nasty_lock);
        nasty_count++;
        pthread_mutex_unlock(&nasty_lock);
        pair->turns++;
        swapcontext(&pair->other, &pair->back);
    }
}

static void *work(void *arg) {
    struct pair *pair = calloc(1, sizeof *pair);
    getcontext(&pair->other);
    pair->other.uc_stack.ss_sp = malloc(64 << 10);
    pair->other.uc_stack.ss_size = 64 << 10;
    uintptr_t word = (uintptr_t)pair;
    makecontext(&pair->other, (void (*)(void))body, 2, (unsigned)(word >> 32), (unsigned)word);
    for (int i = 0; i < 100; i++)
        swapcontext(&pair->back, &pair->other);
    MUST(pair->turns == 100);
    return arg;
}

int main(void) {
    events();
    pthread_t one = start(work, 0), two = start(work, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    say("switched");
}
