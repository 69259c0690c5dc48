// The first wait checks nothing.
// lost: predicted
#include <pthread.h>
#include <sched.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int ready;

static void *waiter(void *unused) {
    pthread_mutex_lock(&lock);
    do
        pthread_cond_wait(&changed, &lock);
    while (!ready);
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

