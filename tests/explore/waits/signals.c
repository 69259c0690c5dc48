// A thread takes two signals with `sigwait`, which two others send. With -DBUG it expects the first to be the first.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

sigset_t both;

static void *waiter(void *none) {
    for (int i = 0; i < 2; i++) {
        int signal = 0;
        assert(sigwait(&both, &signal) == 0);
        assert(signal == SIGUSR1 || signal == SIGUSR2);
#ifdef BUG
        assert(signal == (i ? SIGUSR2 : SIGUSR1));
#endif
    }
    return none;
}

static void *sender(void *number) {
    return kill(getpid(), number ? SIGUSR2 : SIGUSR1) ? number : 0;
}

int main(void) {
    pthread_t threads[3];
    sigemptyset(&both);
    sigaddset(&both, SIGUSR1);
    sigaddset(&both, SIGUSR2);
    pthread_sigmask(SIG_BLOCK, &both, 0);
    pthread_create(&threads[0], 0, waiter, 0);
    pthread_create(&threads[1], 0, sender, (void *)0);
    pthread_create(&threads[2], 0, sender, (void *)1);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], 0);
    return 0;
}
