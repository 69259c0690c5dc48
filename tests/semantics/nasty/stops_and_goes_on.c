// A child with threads is stopped and continued by its parent, ten times.
#include "nasty.h"

int main(void) {
    events();
    pid_t child = fork();
    if (child == 0) {
        start(add_forever, 0);
        for (int i = 0; i < 10; i++)
            raise(SIGSTOP);
        _exit(21);
    }
    int status;
    for (int i = 0; i < 10; i++) {
        MUST(waitpid(child, &status, WUNTRACED) == child && WIFSTOPPED(status));
        kill(child, SIGCONT);
    }
    MUST(end_of(child) == 21);
    say("ten times");
}
