// main ends by pthread_exit; the program ends with its last thread.
#include "nasty.h"

static void *after(void *arg) {
    pthread_join(*(pthread_t *)arg, 0);
    events();
    say("after main");
    exit(4);
}

int main(void) {
    static pthread_t self;
    events();
    self = pthread_self();
    start(after, &self);
    pthread_exit(0);
}
