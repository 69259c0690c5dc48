// Allows itself hardly any descriptors and uses them all. How many there are to use depends on who else has some.
#include "nasty.h"

int main(void) {
    struct rlimit few = { 8, 8 };
    MUST(setrlimit(RLIMIT_NOFILE, &few) == 0);
    events();
    int opened = 0;
    while (open("/dev/null", O_RDONLY) >= 0)
        opened++;
    MUST(errno == EMFILE && opened > 0);
    events();
    say("all used");
}
