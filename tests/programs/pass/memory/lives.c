#include "../../program.h"
// Objects that are destroyed and freed by whoever acquired them last, as the standard allows.
struct task {
    pthread_mutex_t mutex;
    pthread_cond_t cond;
    sem_t sem;
    int done;
};
static struct task *task;
static pthread_barrier_t barrier;
NOBODY_CARES(worker) {
    pthread_mutex_lock(&task->mutex);
    task->done = 1;
    pthread_cond_signal(&task->cond);
    pthread_mutex_unlock(&task->mutex);
    sem_post(&task->sem);
    pthread_barrier_wait(&barrier);
    return unused;
}
NOBODY_CARES(owner) {
    pthread_mutex_lock(&task->mutex);
    while (!task->done) pthread_cond_wait(&task->cond, &task->mutex);
    pthread_mutex_unlock(&task->mutex);
    sem_wait(&task->sem);
    pthread_cond_destroy(&task->cond);
    pthread_mutex_destroy(&task->mutex);
    sem_destroy(&task->sem);
    free(task);
    pthread_barrier_wait(&barrier);
    pthread_barrier_destroy(&barrier);
    return unused;
}
int main(void) {
    task = calloc(1, sizeof *task);
    pthread_mutex_init(&task->mutex, NULL);
    pthread_cond_init(&task->cond, NULL);
    sem_init(&task->sem, 0, 0);
    pthread_barrier_init(&barrier, NULL, 2);
    run2(worker, owner);
    return 0;
}
