// A handler locks, and jumps out of itself, a thousand times.
#include "nasty.h"

static sigjmp_buf back;
static volatile int jumps;

static void jump(int signal) {
    (void)signal;
    pthread_mutex_lock(&nasty_lock);
    nasty_count++;
    pthread_mutex_unlock(&nasty_lock);
    siglongjmp(back, 1);
}

int main(void) {
    events();
    signal(SIGUSR1, jump);
    if (sigsetjmp(back, 1))
        jumps++;
    if (jumps < 1000)
        raise(SIGUSR1);
    events();
    say("a thousand jumps");
}
