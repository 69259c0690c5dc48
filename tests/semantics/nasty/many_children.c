// Two hundred children at once, each of which makes a thread.
#include "nasty.h"

int main(void) {
    events();
    pid_t children[200];
    for (int i = 0; i < 200; i++) {
        children[i] = fork();
        MUST(children[i] >= 0);
        if (children[i] == 0) {
            pthread_join(start(add, 0), 0);
            _exit(i % 100);
        }
    }
    for (int i = 0; i < 200; i++)
        MUST(end_of(children[i]) == i % 100);
    say("all ended");
}
