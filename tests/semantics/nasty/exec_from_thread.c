// A thread puts another program in the place of its own, while others work.
#include "nasty.h"

static char **words;

static void *replace(void *arg) {
    char *again[] = { words[0], (char *)"again", 0 };
    execv("/proc/self/exe", again);
    return arg;
}

int main(int count, char **args) {
    words = args;
    events();
    say(count > 1 ? "again" : "first");
    if (count > 1)
        return 9;
    start(add_forever, 0);
    pthread_join(start(replace, 0), 0);
    return 1;
}
