// Gives the processor's clock up; reading it would kill the program.
#include "nasty.h"

int main(void) {
    events();
    MUST(prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0) == 0);
    events();
    say("no clock");
}
