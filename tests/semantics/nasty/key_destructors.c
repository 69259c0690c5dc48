// Destructors of thread-specific data lock and set their key again, as often as allowed.
#include "nasty.h"

static pthread_key_t key;

static void destroy(void *value) {
    add(0);
    pthread_setspecific(key, value);
}

static void *work(void *arg) {
    pthread_setspecific(key, &key);
    return arg;
}

int main(void) {
    pthread_key_create(&key, destroy);
    for (int i = 0; i < 10; i++)
        pthread_join(start(work, 0), 0);
    say("destroyed");
}
