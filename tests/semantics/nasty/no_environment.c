// Forgets its environment, and what it starts sees that.
#include "nasty.h"

int main(void) {
    events();
    MUST(clearenv() == 0);
    setenv("ONE", "1", 1);
    fflush(0);
    MUST(system("env | grep -v -e ^PWD= -e ^_= -e ^SHLVL= -e ^OLDPWD=") == 0);
    MUST(getenv("FORETRACE_RUNTIME") == 0 && getenv("LD_PRELOAD") == 0);
    events();
    say("one variable");
}
