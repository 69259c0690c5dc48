// Forks twice into a session of its own; the grandchild works, closes everything, and is waited for.
#include "nasty.h"

int main(void) {
    events();
    int pipes[2];
    MUST(pipe(pipes) == 0);
    pid_t child = fork();
    if (child == 0) {
        setsid();
        if (fork() != 0)
            _exit(0);
        events();
        char byte = (char)(nasty_count / 100);
        if (write(pipes[1], &byte, 1) != 1)
            _exit(1);
        _exit(0);
    }
    close(pipes[1]);
    MUST(end_of(child) == 0);
    char byte, more;
    MUST(read(pipes[0], &byte, 1) == 1 && byte == 4);
    MUST(read(pipes[0], &more, 1) == 0);
    say("the daemon has ended");
}
