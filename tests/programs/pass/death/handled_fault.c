#include "../../program.h"
#include <setjmp.h>
#include <signal.h>
// The program handles its own faults, and goes on.
static sigjmp_buf back;
static void on_fault(int signal) { siglongjmp(back, signal); }
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int shared;
NOBODY_CARES(a) {
    pthread_mutex_lock(&m);
    shared++;
    pthread_mutex_unlock(&m);
    return unused;
}
int main(void) {
    signal(SIGSEGV, on_fault);
    run2(a, a);
    if (!sigsetjmp(back, 1))
        *(volatile int *)8 = 1;
    return 0;
}
