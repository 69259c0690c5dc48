// A thread aborts.
#include "nasty.h"

static void *end(void *arg) {
    abort();
    return arg;
}

int main(void) {
    events();
    say("aborting");
    pthread_join(start(end, 0), 0);
}
