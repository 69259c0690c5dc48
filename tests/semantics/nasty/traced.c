// A child lets itself be traced, stops, and goes on as its tracer wishes.
#include "nasty.h"

int main(void) {
    events();
    pid_t child = fork();
    if (child == 0) {
        if (ptrace(PTRACE_TRACEME, 0, 0, 0) == -1)
            _exit(17);
        raise(SIGSTOP);
        events();
        _exit(17);
    }
    int status;
    MUST(waitpid(child, &status, 0) == child);
    while (WIFSTOPPED(status)) {
        ptrace(PTRACE_CONT, child, 0, 0);
        MUST(waitpid(child, &status, 0) == child);
    }
    MUST(WIFEXITED(status) && WEXITSTATUS(status) == 17);
    say("traced");
}
