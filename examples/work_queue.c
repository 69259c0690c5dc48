// A queue of work with one worker. The worker checks whether there is work, and if there is none, it sleeps until some
// arrives. If work arrives between the check and the sleep, its signal wakes no thread, and the worker sleeps for
// ever.
//
// The fix: check under the lock, and wait there, in a loop (compile with -DFIXED).
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t arrived = PTHREAD_COND_INITIALIZER;
static int waiting_jobs, done;

static void submit(void) {
    pthread_mutex_lock(&lock);
    waiting_jobs++;
    pthread_cond_signal(&arrived);
    pthread_mutex_unlock(&lock);
}

#ifndef FIXED
static int is_empty(void) {
    pthread_mutex_lock(&lock);
    int empty = waiting_jobs == 0;
    pthread_mutex_unlock(&lock);
    return empty;
}
#endif

static void *worker(void *unused) {
#ifdef FIXED
    pthread_mutex_lock(&lock);
    while (waiting_jobs == 0)
        pthread_cond_wait(&arrived, &lock);
#else
    int sleep = is_empty();
    pthread_mutex_lock(&lock);
    if (sleep)
        pthread_cond_wait(&arrived, &lock);
#endif
    waiting_jobs--;
    done++;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    usleep(3000); // the work is not there at once
    submit();
    pthread_join(thread, NULL);
    printf("%d done\n", done);
    return 0;
}
