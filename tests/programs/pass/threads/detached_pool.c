#include "../../program.h"
// A pool of detached threads. It counts those that are busy and those that live; the owner waits until nothing is left to do,
// and frees the pool when the last thread has said that it leaves.
struct job { int *number; struct job *next; };
struct pool {
    pthread_mutex_t mutex;
    pthread_cond_t work, idle;
    struct job *first;
    int busy, alive, stopped;
};
static void *worker(void *argument) {
    struct pool *pool = argument;
    pthread_mutex_lock(&pool->mutex);
    for (;;) {
        while (!pool->first && !pool->stopped) pthread_cond_wait(&pool->work, &pool->mutex);
        if (pool->stopped) break;
        struct job *job = pool->first;
        pool->first = job->next;
        pool->busy++;
        pthread_mutex_unlock(&pool->mutex);
        *job->number *= *job->number;
        free(job);
        pthread_mutex_lock(&pool->mutex);
        if (--pool->busy == 0 && !pool->first) pthread_cond_signal(&pool->idle);
    }
    pool->alive--;
    pthread_cond_signal(&pool->idle);
    pthread_mutex_unlock(&pool->mutex);
    return NULL;
}
static void add(struct pool *pool, int *number) {
    struct job *job = malloc(sizeof *job);
    job->number = number;
    pthread_mutex_lock(&pool->mutex);
    job->next = pool->first;
    pool->first = job;
    pthread_cond_broadcast(&pool->work);
    pthread_mutex_unlock(&pool->mutex);
}
static void wait_while(struct pool *pool, int *what) {
    pthread_mutex_lock(&pool->mutex);
    while (pool->first || *what) pthread_cond_wait(&pool->idle, &pool->mutex);
    pthread_mutex_unlock(&pool->mutex);
}
int main(void) {
    int numbers[6], sum = 0;
    struct pool *pool = calloc(1, sizeof *pool);
    pthread_mutex_init(&pool->mutex, NULL);
    pthread_cond_init(&pool->work, NULL);
    pthread_cond_init(&pool->idle, NULL);
    pool->alive = 2;
    for (int i = 0; i < 2; i++) {
        pthread_t thread;
        pthread_create(&thread, NULL, worker, pool);
        pthread_detach(thread);
    }
    for (int i = 0; i < 6; i++) {
        numbers[i] = i;
        add(pool, &numbers[i]);
    }
    wait_while(pool, &pool->busy);
    for (int i = 0; i < 6; i++) sum += numbers[i];
    pthread_mutex_lock(&pool->mutex);
    pool->stopped = 1;
    pthread_cond_broadcast(&pool->work);
    pthread_mutex_unlock(&pool->mutex);
    wait_while(pool, &pool->alive);
    pthread_cond_destroy(&pool->idle);
    pthread_cond_destroy(&pool->work);
    pthread_mutex_destroy(&pool->mutex);
    free(pool);
    return sum != 55;
}
