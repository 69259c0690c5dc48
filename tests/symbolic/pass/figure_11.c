// Each function is one critical section.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int x, y;

static void *foo(void *unused) {
    pthread_mutex_lock(&lock);
    int a = y;
    if (a == 0) {
        x = 1;
        a = x + 1;
        x = a;
    } else {
        x = 0;
    }
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *bar(void *unused) {
    pthread_mutex_lock(&lock);
    int a = x;
    if (a == 0) {
        y = 1;
        a = y + 1;
        y = a;
    } else {
        y = 0;
    }
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t thread[2];
    pthread_create(&thread[0], NULL, foo, NULL);
    pthread_create(&thread[1], NULL, bar, NULL);
    pthread_join(thread[0], NULL);
    pthread_join(thread[1], NULL);
    assert(x != y);
    return 0;
}
