// Functions that are called at exit make threads, lock, and add further such functions.
#include "nasty.h"

static void third(void) {
    events();
    say("third");
}

static void second(void) {
    atexit(third);
    events();
    say("second");
}

static void *leave(void *arg) {
    exit(8);
    return arg;
}

int main(void) {
    atexit(second);
    events();
    start(leave, 0);
    for (;;)
        pause();
}
