// A thread takes a table of descriptors of its own and closes everything in it.
#include "nasty.h"

static void *alone(void *arg) {
    MUST(unshare(CLONE_FILES) == 0);
    closefrom(3);
    for (int i = 0; i < 50; i++)
        add(0);
    MUST(open("/dev/null", O_RDONLY) == 3);
    return arg;
}

int main(void) {
    events();
    pthread_t other = start(alone, 0);
    for (int i = 0; i < 50; i++)
        add(0);
    pthread_join(other, 0);
    say("each its own");
}
