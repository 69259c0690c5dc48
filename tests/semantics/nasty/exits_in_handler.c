// A handler ends the program, while its thread holds a lock.
#include "nasty.h"

static void leave(int signal) {
    _exit(signal);
}

int main(void) {
    events();
    dprintf(1, "leaving\n");
    signal(SIGUSR2, leave);
    pthread_t other = start(add_forever, 0);
    usleep(1000);
    pthread_kill(other, SIGUSR2);
    add_forever(0);
}
