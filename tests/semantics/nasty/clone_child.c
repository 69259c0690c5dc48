// A child made by clone with a stack of its own, which shares files but not memory.
#include "nasty.h"

static int child(void *arg) {
    add(0);
    return (int)(intptr_t)arg;
}

int main(void) {
    events();
    char *stack = malloc(256 << 10);
    for (int turn = 0; turn < 10; turn++) {
        pid_t made = clone(child, stack + (256 << 10), CLONE_FILES | SIGCHLD, (void *)(intptr_t)turn);
        MUST(made > 0 && end_of(made) == turn);
    }
    events();
    say("ten children");
}
