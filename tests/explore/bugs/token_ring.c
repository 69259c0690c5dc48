// fails: crash
// Each thread passes a token on that it read from its neighbour; a thread that is too early reads an old one.
#include <assert.h>
#include <pthread.h>

enum { N = 3 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t passed = PTHREAD_COND_INITIALIZER;
static int token[N + 1];

static void *pass(void *argument) {
    int own = (int)(long)argument;
    pthread_mutex_lock(&lock);
#ifdef FIXED
    while (token[own - 1] == 0)
        pthread_cond_wait(&passed, &lock);
#endif
    token[own] = token[own - 1] == 0 ? 0 : token[own - 1] + 1;
    pthread_cond_broadcast(&passed);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void) {
    pthread_t threads[N];
    token[0] = 1;
    for (long i = 1; i <= N; i++)
        pthread_create(&threads[i - 1], NULL, pass, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    assert(token[N] == N + 1);
    return 0;
}
