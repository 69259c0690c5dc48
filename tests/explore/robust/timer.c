// A timer sends signals to the process while two threads count under a lock; its handler counts by itself.
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int count;
atomic_int ticks;

static void tick(int signal) {
    ticks += signal == SIGALRM;
}

static void *work(void *none) {
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&lock);
        count++;
        pthread_mutex_unlock(&lock);
    }
    return none;
}

static void *all(void *none) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = tick;
    action.sa_flags = SA_RESTART;
    assert(sigaction(SIGALRM, &action, 0) == 0);
    timer_t timer;
    assert(timer_create(CLOCK_MONOTONIC, 0, &timer) == 0);
    struct itimerspec often = {{0, 200000}, {0, 200000}};
    assert(timer_settime(timer, 0, &often, 0) == 0);
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], 0, work, 0);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], 0);
    timer_delete(timer);
    assert(count == 4);
    return none;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, all, 0);
    pthread_join(thread, 0);
    return 0;
}
