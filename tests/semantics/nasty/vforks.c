// Threads start programs by vfork, whose child borrows their memory.
#include "nasty.h"

static void *starts(void *arg) {
    for (int turn = 0; turn < 20; turn++) {
        pid_t child = vfork();
        if (child == 0) {
            execl(turn % 2 ? "/bin/true" : "/nowhere/at/all", "true", (char *)0);
            _exit(41);
        }
        MUST(end_of(child) == (turn % 2 ? 0 : 41));
    }
    return arg;
}

int main(void) {
    events();
    pthread_t one = start(starts, 0), two = start(starts, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    events();
    say("forty started");
}
