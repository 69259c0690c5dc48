// fails: crash
// A stack whose two operations are each under the lock: between "is it empty?" and "take one" another thread takes the last.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int items[4], top;

static int is_empty(void) {
    pthread_mutex_lock(&lock);
    int empty = top == 0;
    pthread_mutex_unlock(&lock);
    return empty;
}

static int pop(void) {
    pthread_mutex_lock(&lock);
#ifdef FIXED
    if (top == 0) {
        pthread_mutex_unlock(&lock);
        return -1;
    }
#endif
    assert(top > 0);
    int item = items[--top];
    pthread_mutex_unlock(&lock);
    return item;
}

static void *take(void *unused) {
    if (!is_empty())
        pop();
    return unused;
}

int main(void) {
    pthread_t threads[2];
    items[top++] = 7;
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, take, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
