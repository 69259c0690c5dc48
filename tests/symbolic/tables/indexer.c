// Table 1 of Wang et al., indexer: each of THREADS threads puts four messages into a hash table of 128 entries. The assertion
// is about an entry that only one thread wants, or, with ERROR, about one that two want: its first owner expects it empty.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define ENTRIES 128
#define MESSAGES 4

static atomic_int table[ENTRIES];
static int asked, owner;

static int hash(int thread, int message) {
    return (message * 11 + thread) * 7 % ENTRIES;
}

// Who gets which entry if one thread runs after the other.
static void choose(void) {
    int owners[ENTRIES], wanted[ENTRIES] = {0};
    for (int i = 0; i < ENTRIES; i++)
        owners[i] = -1;
    for (int t = 0; t < THREADS; t++)
        for (int i = 1; i <= MESSAGES; i++) {
            int entry = hash(t, i);
            wanted[entry]++;
            while (owners[entry] >= 0)
                entry = (entry + 1) % ENTRIES;
            owners[entry] = t;
        }
    for (asked = 0; asked < ENTRIES; asked++) {
#ifdef ERROR
        if (owners[asked] >= 0 && wanted[asked] > 1)
            break;
#else
        if (owners[asked] >= 0 && wanted[asked] == 1)
            break;
#endif
    }
    owner = owners[asked];
}

static void *work(void *number) {
    int own = (int)(long)number;
    for (int i = 1; i <= MESSAGES; i++) {
        int entry = hash(own, i);
        for (;;) {
            int empty = 0;
            int taken = !atomic_compare_exchange_strong(&table[entry], &empty, own * MESSAGES + i);
            if (entry == asked && own == owner)
                assert(!taken);
            if (!taken)
                break;
            entry = (entry + 1) % ENTRIES;
        }
    }
    return number;
}

int main(void) {
    pthread_t threads[THREADS];
    choose();
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], 0, work, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], 0);
    return 0;
}
