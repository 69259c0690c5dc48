// quick_exit in a thread, with functions of its own.
#include "nasty.h"

static void at_end(void) {
    add(0);
    say("quickly");
}

static void *leave(void *arg) {
    quick_exit(13);
    return arg;
}

int main(void) {
    at_quick_exit(at_end);
    events();
    start(leave, 0);
    for (;;)
        pause();
}
