// fails: crash
// Peterson's lock; with the turn given away before the flag is raised, both threads get in.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag[2], turn, inside;

static void *work(void *argument) {
    int own = (int)(long)argument, other = 1 - own;
#ifdef FIXED
    atomic_store(&flag[own], 1);
    atomic_store(&turn, other);
#else
    atomic_store(&turn, other);
    atomic_store(&flag[own], 1);
#endif
    while (atomic_load(&flag[other]) && atomic_load(&turn) == other)
        ;
    assert(atomic_fetch_add(&inside, 1) == 0);
    atomic_fetch_sub(&inside, 1);
    atomic_store(&flag[own], 0);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
