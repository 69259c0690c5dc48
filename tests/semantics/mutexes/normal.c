// A mutex that protects a counter; its class is in every record.
// t0: start; fork t1; fork t2; join t1; join t2; read counter; exit 0
// t1: start; lock m; read counter; write counter; unlock m; end
// t2: start; lock m; read counter; write counter; unlock m; end
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void *work(void *arg) {
    pthread_mutex_lock(&mutex);
    counter++;
    pthread_mutex_unlock(&mutex);
    return arg;
}

int main(void) {
    pthread_t threads[2];
    printf("@counter %p %zu\n", (void *)&counter, sizeof counter);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], 0, work, 0);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], 0);
    return counter != 2;
}
