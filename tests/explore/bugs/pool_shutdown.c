// fails: crash
// A worker that is asked to stop leaves at once, also if there is a job that nobody has done.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int jobs, done, stops;

static void *worker(void *unused) {
    pthread_mutex_lock(&lock);
    for (;;) {
        while (!jobs && !stops)
            pthread_cond_wait(&changed, &lock);
#ifdef FIXED
        if (!jobs)
            break;
#else
        if (stops)
            break;
#endif
        jobs--;
        done++;
    }
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    pthread_mutex_lock(&lock);
    jobs++;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    stops = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    assert(done == 1);
    return 0;
}
