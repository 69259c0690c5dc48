// Five thousand threads at once.
#include "nasty.h"

enum { MANY = 5000 };
static pthread_t threads[MANY];
static pthread_barrier_t all;

static void *live(void *arg) {
    pthread_barrier_wait(&all);
    pthread_mutex_lock(&nasty_lock);
    nasty_count++;
    pthread_mutex_unlock(&nasty_lock);
    return arg;
}

int main(void) {
    pthread_attr_t small;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 64 << 10);
    pthread_barrier_init(&all, 0, MANY + 1);
    for (int i = 0; i < MANY; i++)
        MUST(pthread_create(&threads[i], &small, live, 0) == 0);
    pthread_barrier_wait(&all);
    for (int i = 0; i < MANY; i++)
        pthread_join(threads[i], 0);
    say("lived");
}
