// fails: race
// A plain variable is touched without its lock on a branch that only one order takes.
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int hurry;
static int total;

static void *add(void *unused) {
    pthread_mutex_lock(&lock);
    total++;
    pthread_mutex_unlock(&lock);
    atomic_store_explicit(&hurry, 1, memory_order_relaxed);
    pthread_mutex_lock(&lock);
    total++;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, add, NULL);
#ifndef FIXED
    if (atomic_load_explicit(&hurry, memory_order_relaxed))
        total++;
#endif
    pthread_mutex_lock(&lock);
    total++;
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    return 0;
}
