// Threads start programs by posix_spawn and popen.
#include "nasty.h"

extern char **environ;

static void *starts(void *arg) {
    char *words[] = { (char *)"sh", (char *)"-c", (char *)"exit 3", 0 };
    for (int turn = 0; turn < 5; turn++) {
        pid_t child;
        MUST(posix_spawn(&child, "/bin/sh", 0, 0, words, environ) == 0);
        MUST(end_of(child) == 3);
        FILE *pipe = popen("echo here", "r");
        char line[16];
        MUST(pipe && fgets(line, sizeof line, pipe) && strcmp(line, "here\n") == 0);
        MUST(pclose(pipe) == 0);
    }
    return arg;
}

int main(void) {
    events();
    pthread_t one = start(starts, 0), two = start(starts, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    say("twenty started");
}
