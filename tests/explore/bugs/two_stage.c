// fails: crash
// Two-stage locking: a reader sees the first value of a pair and not the second.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t first_lock = PTHREAD_MUTEX_INITIALIZER, second_lock = PTHREAD_MUTEX_INITIALIZER;
static int first, second;

static void *writer(void *unused) {
    pthread_mutex_lock(&first_lock);
    first = 1;
#ifdef FIXED
    pthread_mutex_lock(&second_lock);
    second = first + 1;
    pthread_mutex_unlock(&second_lock);
    pthread_mutex_unlock(&first_lock);
#else
    pthread_mutex_unlock(&first_lock);
    pthread_mutex_lock(&second_lock);
    second = 2;
    pthread_mutex_unlock(&second_lock);
#endif
    return unused;
}

static void *reader(void *unused) {
    pthread_mutex_lock(&first_lock);
    int one = first;
#ifndef FIXED
    pthread_mutex_unlock(&first_lock);
#endif
    if (one != 0) {
        pthread_mutex_lock(&second_lock);
        int two = second;
        pthread_mutex_unlock(&second_lock);
        assert(two == one + 1);
    }
#ifdef FIXED
    pthread_mutex_unlock(&first_lock);
#endif
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, writer, NULL);
    pthread_create(&threads[1], NULL, reader, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
