// Whether it is initialised is asked before the critical section that does it.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int is_made, times;

static void *use(void *unused) {
    pthread_mutex_lock(&lock);
    int made = is_made;
    pthread_mutex_unlock(&lock);
    if (!made) {
        pthread_mutex_lock(&lock);
        is_made = 1;
        times++;
        assert(times == 1); // expect: crash
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void) {
    pthread_t thread[2];
    pthread_create(&thread[0], NULL, use, NULL);
    pthread_create(&thread[1], NULL, use, NULL);
    pthread_join(thread[0], NULL);
    pthread_join(thread[1], NULL);
    return 0;
}
