// Two threads wait in loops for each other's flags, which neither raises.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag[2];

static void *work(void *argument) {
    int own = (int)(long)argument;
    while (!atomic_load(&flag[1 - own]))
        ;
    atomic_store(&flag[own], 1);
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
