// Works in a directory that is not there any more.
#include "nasty.h"

int main(void) {
    char place[] = "/tmp/nasty-XXXXXX";
    MUST(mkdtemp(place) && chdir(place) == 0 && rmdir(place) == 0);
    events();
    char buffer[64];
    MUST(getcwd(buffer, sizeof buffer) == 0 && errno == ENOENT);
    say("nowhere");
}
