// Handlers on a small stack of their own, which lock, in several threads.
#include "nasty.h"

static void handler(int signal) {
    (void)signal;
    pthread_mutex_lock(&nasty_lock);
    nasty_count++;
    pthread_mutex_unlock(&nasty_lock);
}

static void *work(void *arg) {
    size_t size = 16 << 10;
    stack_t other = { .ss_sp = malloc(size), .ss_size = size };
    MUST(sigaltstack(&other, 0) == 0);
    for (int i = 0; i < 100; i++)
        raise(SIGUSR1);
    return arg;
}

int main(void) {
    events();
    struct sigaction action = { .sa_handler = handler, .sa_flags = SA_ONSTACK };
    sigaction(SIGUSR1, &action, 0);
    pthread_t one = start(work, 0), two = start(work, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    say("handled");
}
