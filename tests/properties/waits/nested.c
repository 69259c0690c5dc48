// The signal comes after the critical section, and the waiting thread leaves the loop in two ways, in a loop.
// lost: no
#include <pthread.h>
#include <sched.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int ready;

int stopped;
static int next(int round) {
    pthread_mutex_lock(&lock);
    while (ready <= round) {
        if (stopped) {
            pthread_mutex_unlock(&lock);
            return 0;
        }
        pthread_cond_wait(&changed, &lock);
    }
    pthread_mutex_unlock(&lock);
    return 1;
}
static void *waiter(void *unused) {
    for (int round = 0; next(round); round++) {
    }
    return unused;
}
static void signaller(void) {
    for (int round = 0; round < 2; round++) {
        pthread_mutex_lock(&lock);
        ready++;
        pthread_mutex_unlock(&lock);
        pthread_cond_signal(&changed);
    }
    pthread_mutex_lock(&lock);
    stopped = 1;
    pthread_mutex_unlock(&lock);
    pthread_cond_signal(&changed);
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, waiter, 0);
    for (int i = 0; i < 300; i++)
        sched_yield();
    signaller();
    pthread_join(thread, 0);
    return 0;
}

