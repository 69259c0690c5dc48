// fails: race
// A racing pair whose two halves do not fit is an error of its own: after the race is known, its memory is explored.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int low, high;

static void *write_both(void *unused) {
#ifdef FIXED
    pthread_mutex_lock(&lock);
#endif
    low = 1;
    high = 1;
#ifdef FIXED
    pthread_mutex_unlock(&lock);
#endif
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, write_both, NULL);
    pthread_mutex_lock(&lock);
    int one = low, two = high;
    pthread_mutex_unlock(&lock);
    assert(one == two);
    pthread_join(thread, NULL);
    return 0;
}
