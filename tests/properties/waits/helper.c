// The wait is in a function that the loop calls: not recognised, so a lost signal is still predicted.
// lost: predicted
#include <pthread.h>
#include <sched.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int ready;

__attribute__((noinline)) static void sleep_until_changed(void) {
    pthread_cond_wait(&changed, &lock);
}
static void *waiter(void *unused) {
    pthread_mutex_lock(&lock);
    while (!ready)
        sleep_until_changed();
    pthread_mutex_unlock(&lock);
    return unused;
}
static void signaller(void) {
    pthread_mutex_lock(&lock);
    ready = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
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

