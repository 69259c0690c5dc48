// A thread that may be cancelled at any instruction is, while it computes.
#include "nasty.h"

static volatile int begun;
static volatile unsigned long sum;

static void *compute(void *arg) {
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, 0);
    begun = 1;
    for (;;)
        sum = sum * 7 + 1;
    return arg;
}

int main(void) {
    events();
    for (int turn = 0; turn < 20; turn++) {
        begun = 0;
        pthread_t thread = start(compute, 0);
        while (!begun)
            sched_yield();
        pthread_cancel(thread);
        void *result;
        pthread_join(thread, &result);
        MUST(result == PTHREAD_CANCELED);
    }
    events();
    say("twenty cancelled");
}
