// Everything that an execution changes is as it was when the next one begins, and threads have all that libc gives them.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static int executions, destroyed;
static char large[100000];
static __thread int own = 7;
static pthread_key_t key;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_t selves[3];

static void destroy(void *value) {
    assert(value == &own);
    pthread_mutex_lock(&lock);
    destroyed++;
    pthread_mutex_unlock(&lock);
}

static void *work(void *argument) {
    intptr_t number = (intptr_t)argument;
    assert(own == 7 && pthread_getspecific(key) == NULL);
    own += number;
    errno = number;
    pthread_setspecific(key, &own);
    char *block = calloc(1, 20000);
    for (int i = 0; i < 20000; i++)
        assert(block[i] == 0);
    memset(block, 1, 20000);
    pthread_mutex_lock(&lock);
    selves[number] = pthread_self();
    large[number * 30000]++;
    pthread_mutex_unlock(&lock);
    free(block);
    assert(own == 7 + number && errno == number);
#ifdef EXITS
    if (number == 1)
        pthread_exit((void *)(number + 100));
#endif
    return (void *)(number + 100);
}

int main(void) {
    pthread_t threads[3];
    pthread_key_create(&key, destroy);
    for (intptr_t i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    executions++;
    assert(executions == 1);
    for (intptr_t i = 0; i < 3; i++) {
        void *result;
        assert(pthread_join(threads[i], &result) == 0);
        assert((intptr_t)result == i + 100);
        assert(pthread_equal(threads[i], selves[i]) && large[i * 30000] == 1);
    }
    assert(destroyed == 3 && own == 7);
    return 0;
}
