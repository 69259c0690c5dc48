// Figure 11 of the paper: the assertion fails on paths that the run did not take.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

int x, y;

static void *foo(void *unused) {
    int a = y;
    if (a == 0) {
        x = 1;
        a = x + 1;
        x = a;
    } else {
        x = 0;
    }
    return unused;
}

static void *bar(void *unused) {
    int a = x;
    if (a == 0) {
        y = 1;
        a = y + 1;
        y = a;
    } else {
        y = 0;
    }
    return unused;
}

int main(void) {
    pthread_t thread[2];
    pthread_create(&thread[0], NULL, foo, NULL);
    pthread_create(&thread[1], NULL, bar, NULL);
    pthread_join(thread[0], NULL);
    pthread_join(thread[1], NULL);
    assert(x != y); // expect: crash
    return 0;
}
