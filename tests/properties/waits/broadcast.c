// Several waiters and a broadcast; the condition variable is in a structure.
// lost: no
#include <pthread.h>
#include <sched.h>
struct gate {
    pthread_mutex_t lock;
    pthread_cond_t opened;
    int open;
};
static struct gate gate = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0};
static void *waiter(void *at) {
    struct gate *gate = at;
    pthread_mutex_lock(&gate->lock);
    while (!gate->open)
        pthread_cond_wait(&gate->opened, &gate->lock);
    pthread_mutex_unlock(&gate->lock);
    return at;
}
int main(void) {
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], 0, waiter, &gate);
    for (int i = 0; i < 300; i++)
        sched_yield();
    pthread_mutex_lock(&gate.lock);
    gate.open = 1;
    pthread_cond_broadcast(&gate.opened);
    pthread_mutex_unlock(&gate.lock);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], 0);
    return 0;
}
