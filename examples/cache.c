// A cache in front of something slow. Looking up takes the lock; the statistics that `report` prints are read without
// it, because "it is only a counter". That is a data race: the compiler may keep, tear or invent the read.
//
// The fix: read under the lock (compile with -DFIXED).
#include <pthread.h>
#include <stdio.h>

#define SLOTS 16

static struct {
    int key[SLOTS], value[SLOTS];
    long hits, misses;
    pthread_mutex_t lock;
} cache = {.lock = PTHREAD_MUTEX_INITIALIZER};

static int slow_square(int n) {
    return n * n;
}

static int lookup(int n) {
    int slot = n % SLOTS, value;
    pthread_mutex_lock(&cache.lock);
    if (cache.key[slot] == n) {
        cache.hits++;
    } else {
        cache.misses++;
        cache.key[slot] = n;
        cache.value[slot] = slow_square(n);
    }
    value = cache.value[slot];
    pthread_mutex_unlock(&cache.lock);
    return value;
}

static void *work(void *sum) {
    for (int n = 1; n <= 20; n++)
        *(int *)sum += lookup(n);
    return NULL;
}

static void report(void) {
#ifdef FIXED
    pthread_mutex_lock(&cache.lock);
#endif
    long total = cache.hits + cache.misses;
#ifdef FIXED
    pthread_mutex_unlock(&cache.lock);
#endif
    printf("%s lookups so far\n", total >= 0 ? "some" : "no");
}

int main(void) {
    pthread_t a, b;
    int one = 0, two = 0;
    pthread_create(&a, NULL, work, &one);
    pthread_create(&b, NULL, work, &two);
    report();
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d %d\n", one, two);
    return 0;
}
