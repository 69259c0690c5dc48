// A timer whose signal nobody handles ends the program while its threads work.
#include "nasty.h"

int main(void) {
    events();
    dprintf(1, "begun\n");
    struct itimerval soon = { { 0, 0 }, { 0, 30000 } };
    setitimer(ITIMER_REAL, &soon, 0);
    start(add_forever, 0);
    add_forever(0);
}
