// A pointer that one order leaves null is used.
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static int value = 7;
static _Atomic(int *) pointer;

static void *set(void *unused) {
    atomic_store(&pointer, &value);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, set, NULL);
    int found = *atomic_load(&pointer);
    pthread_join(thread, NULL);
    return found != 7;
}
