// A thread is cancelled where it waits: on a condition, with -DSEMAPHORE on a semaphore, with -DJOIN for a thread, with -DPIPE
// for input, with -DSLEEP in a sleep, with -DLOOK where it only looks. It gives back its lock when it ends; with -DBUG it does
// not, and the main thread waits for ever.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
sem_t semaphore;
int ends[2], cleaned;

static void clean_up(void *none) {
    cleaned = 1;
#ifndef BUG
    pthread_mutex_unlock(&lock);
#endif
    (void)none;
}

static void *nothing(void *none) {
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return none;
}

static void wait_for_it(void) {
#if defined(SEMAPHORE)
    sem_wait(&semaphore);
#elif defined(JOIN)
    pthread_t thread;
    pthread_create(&thread, 0, nothing, 0);
    pthread_join(thread, 0);
#elif defined(PIPE)
    char byte;
    (void)!read(ends[0], &byte, 1);
#elif defined(SLEEP)
    for (;;)
        usleep(1000);
#elif defined(LOOK)
    for (;;)
        pthread_testcancel();
#else
    for (;;)
        pthread_cond_wait(&ready, &lock);
#endif
}

static void *waiter(void *none) {
    pthread_mutex_lock(&lock);
    pthread_cleanup_push(clean_up, 0);
    wait_for_it();
    pthread_cleanup_pop(0);
    pthread_mutex_unlock(&lock);
    return none;
}

static void *all(void *none) {
    pthread_t thread;
    void *result = 0;
    assert(pipe(ends) == 0);
    pthread_create(&thread, 0, waiter, 0);
    assert(pthread_cancel(thread) == 0);
    pthread_join(thread, &result);
    assert(result == PTHREAD_CANCELED && cleaned);
    nothing(0);
    return none;
}

int main(void) {
    pthread_t thread;
    sem_init(&semaphore, 0, 0);
    pthread_create(&thread, 0, all, 0);
    pthread_join(thread, 0);
    return 0;
}
