// The program kills itself while its threads work.
#include "nasty.h"

int main(void) {
    events();
    say("killing");
    start(add_forever, 0);
    usleep(2000);
    kill(getpid(), SIGKILL);
    pause();
}
