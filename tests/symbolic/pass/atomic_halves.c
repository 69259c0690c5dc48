// One atomic update.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <stdatomic.h>

atomic_int hits;

static void *hit(void *unused) {
    atomic_fetch_add(&hits, 1);
    return unused;
}

int main(void) {
    pthread_t thread[2];
    pthread_create(&thread[0], NULL, hit, NULL);
    pthread_create(&thread[1], NULL, hit, NULL);
    pthread_join(thread[0], NULL);
    pthread_join(thread[1], NULL);
    assert(atomic_load(&hits) == 2);
    return 0;
}
