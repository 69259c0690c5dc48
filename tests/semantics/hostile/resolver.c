// A library that asks malloc, strlen and a lock which variant of its function to use, while the loader is still at work.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static int plain(void) { return 42; }

static int (*choose(void))(void) {
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    char *block = malloc(100);
    if (!block)
        return 0;
    memset(block, 'x', 99);
    block[99] = 0;
    int fits = strlen(block) == 99;
    free(block);
    pthread_mutex_unlock(&lock);
    return fits ? plain : 0;
}

int answer(void) __attribute__((ifunc("choose")));
