#include "../../program.h"
// A coroutine begins in one thread and goes on in another; a semaphore is between the two.
#include <ucontext.h>
static ucontext_t coroutine, caller;
static char stack[1 << 16];
static sem_t handed_over;
static int steps;
static void body_of_coroutine(void) {
    int own = 0;
    for (int i = 0; i < 3; i++) {
        own++;
        steps = own;
        swapcontext(&coroutine, &caller);
    }
}
NOBODY_CARES(begins) {
    getcontext(&coroutine);
    coroutine.uc_stack.ss_sp = stack;
    coroutine.uc_stack.ss_size = sizeof stack;
    makecontext(&coroutine, body_of_coroutine, 0);
    swapcontext(&caller, &coroutine);
    sem_post(&handed_over);
    return unused;
}
NOBODY_CARES(goes_on) {
    sem_wait(&handed_over);
    swapcontext(&caller, &coroutine);
    swapcontext(&caller, &coroutine);
    return steps == 3 ? unused : NULL;
}
int main(void) {
    sem_init(&handed_over, 0, 0);
    run2(begins, goes_on);
    return steps == 3 ? 0 : 1;
}
