// One thread writes a variable and n threads read it: each read comes before or after the write, so there are 2^n classes.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int shared;

static void *writer(void *unused) {
    atomic_store(&shared, 1);
    return unused;
}

static void *reader(void *unused) {
    (void)atomic_load(&shared);
    return unused;
}

int main(int count, char **arguments) {
    int n = count > 1 ? atoi(arguments[1]) : 3;
    pthread_t threads[33];
    pthread_create(&threads[0], NULL, writer, NULL);
    for (int i = 1; i <= n; i++)
        pthread_create(&threads[i], NULL, reader, NULL);
    for (int i = 0; i <= n; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
