// A state that nobody expects ends the program in the default case.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int state;

static void advance(int state_now) {
    switch (state_now) {
    case 0:
    case 1:
    case 2:
        break;
    default:
        abort(); // expect: crash
    }
}

static void *twice(void *unused) {
    pthread_mutex_lock(&lock);
    int now = state;
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    state = now + state + 1;
    advance(state);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t thread[2];
    pthread_create(&thread[0], NULL, twice, NULL);
    pthread_create(&thread[1], NULL, twice, NULL);
    pthread_join(thread[0], NULL);
    pthread_join(thread[1], NULL);
    return 0;
}
