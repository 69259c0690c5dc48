#include "../../program.h"
// The owner frees the object when it has seen the flag; the other thread signals after it has given the lock back.
struct task {
    pthread_mutex_t mutex;
    pthread_cond_t cond;
    int done;
};
static struct task *task;
NOBODY_CARES(worker) {
    pthread_mutex_lock(&task->mutex);
    task->done = 1;
    pthread_mutex_unlock(&task->mutex);
    pthread_cond_signal(&task->cond); // expect: race with line 20
    return unused;
}
NOBODY_CARES(owner) {
    pthread_mutex_lock(&task->mutex);
    while (!task->done) pthread_cond_wait(&task->cond, &task->mutex);
    pthread_mutex_unlock(&task->mutex);
    free(task);
    return unused;
}
int main(void) {
    task = calloc(1, sizeof *task);
    pthread_mutex_init(&task->mutex, NULL);
    pthread_cond_init(&task->cond, NULL);
    run2(worker, owner);
    return 0;
}
// fails whenever: 10 before 17
