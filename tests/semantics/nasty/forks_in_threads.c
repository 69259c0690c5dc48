// Threads fork at the same time; the children lock, make threads, and end in different ways.
#include "nasty.h"

static void *forks(void *arg) {
    for (int turn = 0; turn < 10; turn++) {
        pid_t child = fork();
        if (child == 0) {
            if (turn % 2)
                execl("/bin/true", "true", (char *)0);
            events();
            _exit(turn);
        }
        MUST(end_of(child) == (turn % 2 ? 0 : turn));
    }
    return arg;
}

static void around(void) {
}

int main(void) {
    pthread_atfork(around, around, around);
    events();
    pthread_t one = start(forks, 0), two = start(forks, 0), three = start(add, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    pthread_join(three, 0);
    say("twenty children");
}
