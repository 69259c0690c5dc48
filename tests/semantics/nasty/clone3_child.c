// A child made by clone3, past libc.
#include "nasty.h"

int main(void) {
    events();
    for (int turn = 0; turn < 10; turn++) {
        struct clone_args how = { .exit_signal = SIGCHLD };
        pid_t child = syscall(SYS_clone3, &how, sizeof how);
        if (child == -1 && errno == ENOSYS)
            child = fork();
        if (child == 0) {
            nasty_count++;
            syscall(SYS_exit_group, turn);
        }
        MUST(end_of(child) == turn);
    }
    events();
    say("ten children");
}
