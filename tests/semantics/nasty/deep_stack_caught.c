// A thread runs over the end of its stack and jumps back from the handler.
#include "nasty.h"

static sigjmp_buf back;

static void caught(int signal) {
    siglongjmp(back, signal);
}

__attribute__((noinline)) static int deeper(volatile int *above) {
    volatile int here[256];
    here[0] = *above + 1;
    return here[0] > 0 ? deeper(here) + here[0] : 0;
}

static void *dive(void *arg) {
    stack_t other = { .ss_sp = arg, .ss_size = 64 << 10 };
    sigaltstack(&other, 0);
    volatile int start = 0;
    for (volatile int turn = 0; turn < 5; turn++)
        if (sigsetjmp(back, 1) == 0)
            deeper(&start);
        else
            add(0);
    return 0;
}

int main(void) {
    events();
    struct sigaction action = { .sa_handler = caught, .sa_flags = SA_ONSTACK };
    sigaction(SIGSEGV, &action, 0);
    pthread_join(start(dive, malloc(64 << 10)), 0);
    say("five times back");
}
