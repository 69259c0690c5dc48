// Settings are read when they are first needed. The check outside the lock is meant to save the lock afterwards, but
// nothing orders the pointer that it reads with the data behind it: double-checked locking, the classic mistake.
//
// The fix: pthread_once (compile with -DFIXED).
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct settings {
    int colours;
    int width;
};

static struct settings *settings;

#ifdef FIXED
static pthread_once_t once = PTHREAD_ONCE_INIT;
#else
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
#endif

static void load(void) {
    struct settings *fresh = malloc(sizeof *fresh);
    fresh->colours = 256;
    fresh->width = 80;
    settings = fresh;
}

static struct settings *get(void) {
#ifdef FIXED
    pthread_once(&once, load);
#else
    if (!settings) {
        pthread_mutex_lock(&lock);
        if (!settings)
            load();
        pthread_mutex_unlock(&lock);
    }
#endif
    return settings;
}

static void *draw(void *width) {
    *(int *)width = get()->width;
    return NULL;
}

int main(void) {
    pthread_t a, b;
    int one, two;
    pthread_create(&a, NULL, draw, &one);
    pthread_create(&b, NULL, draw, &two);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d %d\n", one, two);
    free(settings);
    return 0;
}
