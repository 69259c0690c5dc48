// Flanagan and Godefroid's family, as it is used to measure partial-order reduction: one thread looks for the last zero of
// an array while the others set one entry each. The classes number (n+3)*2^(n-2) for n entries.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int array[32];
static int n = 3;

static void *reader(void *unused) {
    int i = n;
    while (atomic_load(&array[i]) != 0)
        i--;
    return unused;
}

static void *writer(void *argument) {
    int j = (int)(long)argument;
    atomic_store(&array[j], atomic_load(&array[j - 1]) + 1);
    return NULL;
}

int main(int count, char **arguments) {
    if (count > 1)
        n = atoi(arguments[1]);
    pthread_t threads[33];
    pthread_create(&threads[0], NULL, reader, NULL);
    for (long j = 1; j <= n; j++)
        pthread_create(&threads[j], NULL, writer, (void *)j);
    for (int j = 0; j <= n; j++)
        pthread_join(threads[j], NULL);
    return 0;
}
