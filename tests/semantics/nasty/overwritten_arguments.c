// Writes over its arguments and its environment, as servers do to show a title.
#include "nasty.h"

extern char **environ;

int main(int count, char **args) {
    events();
    memset(args[0], 'x', strlen(args[0]));
    for (char **variable = environ; *variable; variable++)
        memset(*variable, 'y', strlen(*variable));
    prctl(PR_SET_NAME, "other", 0, 0, 0);
    events();
    environ = 0;
    events();
    say("another title");
    return count - 1;
}
