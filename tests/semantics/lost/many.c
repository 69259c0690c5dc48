// Five hundred threads at once: none goes on before all are there.
#include <pthread.h>

enum { THREADS = 500 };

static pthread_barrier_t meeting;
static pthread_mutex_t mutexes[THREADS];
static int counters[THREADS];

static void *work(void *arg) {
    long me = (long)arg;
    pthread_barrier_wait(&meeting);
    pthread_mutex_lock(&mutexes[me / 10]);
    counters[me]++;
    pthread_mutex_unlock(&mutexes[me / 10]);
    return arg;
}

int main(void) {
    pthread_t threads[THREADS];
    pthread_barrier_init(&meeting, 0, THREADS);
    for (long i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], 0, work, (void *)i) != 0)
            return 1;
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], 0);
    return 0;
}
