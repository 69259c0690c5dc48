// Two threads take 200,000 locks in turn. Each thousandth guards one counter, which so has no lock of its own.
#include <pthread.h>
#include <stdlib.h>
enum { LOCKS = 200000 };
static pthread_mutex_t *locks;
static int counter;
static void *work(void *unused) {
    for (int i = 0; i < LOCKS; i++) {
        pthread_mutex_lock(&locks[i]);
        if (i % 1000 == 0) counter++;
        pthread_mutex_unlock(&locks[i]);
    }
    return unused;
}
int main(void) {
    pthread_t a, b;
    locks = malloc(LOCKS * sizeof *locks);
    for (int i = 0; i < LOCKS; i++) pthread_mutex_init(&locks[i], NULL);
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
