// Counting up and looking whether it was too much are two steps that others may come between.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <stdatomic.h>

atomic_int users, most;

static void *enter(void *unused) {
    atomic_fetch_add(&users, 1);
    if (atomic_load(&users) == 1)
        atomic_fetch_add(&most, 1);
    return unused;
}

int main(void) {
    pthread_t thread[2];
    pthread_create(&thread[0], NULL, enter, NULL);
    pthread_create(&thread[1], NULL, enter, NULL);
    pthread_join(thread[0], NULL);
    pthread_join(thread[1], NULL);
    assert(atomic_load(&most) == 1); // expect: crash
    return 0;
}
