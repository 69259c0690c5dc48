// The indexer of Flanagan and Godefroid (Dynamic partial-order reduction for model checking software, 2005): each thread
// inserts four messages into a hash table of 128 entries with compare-and-swap. With 11 threads or fewer no two messages meet.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { SIZE = 128, MOST = 4 };

static atomic_int table[SIZE];

static void *insert(void *argument) {
    int own = (int)(long)argument;
    for (int m = 1; m <= MOST; m++) {
        int message = m * 11 + own;
        int hash = (message * 7) % SIZE;
        int empty = 0;
        while (!atomic_compare_exchange_strong(&table[hash], &empty, message)) {
            hash = (hash + 1) % SIZE;
            empty = 0;
        }
    }
    return NULL;
}

int main(int count, char **arguments) {
    int n = count > 1 ? atoi(arguments[1]) : 11;
    pthread_t threads[32];
    for (long i = 0; i < n; i++)
        pthread_create(&threads[i], NULL, insert, (void *)i);
    for (int i = 0; i < n; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
