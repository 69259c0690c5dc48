// Becomes nobody, where the system allows it, and is no longer dumpable.
#include "nasty.h"

int main(void) {
    events();
    MUST(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
    if (getuid() == 0)
        MUST(setresgid(65534, 65534, 65534) == 0 && setresuid(65534, 65534, 65534) == 0);
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    events();
    say("nobody");
}
