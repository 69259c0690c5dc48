// A thread runs over the end of its stack, and the program dies of it.
#include "nasty.h"

__attribute__((noinline)) static int deeper(volatile int *above) {
    volatile int here[256];
    here[0] = *above + 1;
    return here[0] > 0 ? deeper(here) + here[0] : 0;
}

static void *dive(void *arg) {
    volatile int start = 0;
    return (void *)(intptr_t)deeper(&start) + (intptr_t)arg;
}

int main(void) {
    events();
    say("diving");
    pthread_join(start(dive, 0), 0);
    return 1;
}
