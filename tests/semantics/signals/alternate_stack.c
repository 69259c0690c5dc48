// flags: -D_GNU_SOURCE
// Handlers on a stack of their own, with the signal's information; the old handler comes back.
// t0: start; sem_init s 0; fork t1; join t1; exit 0
// t1: start; release k; release all; signal_enter 12; acquire k; sem_post s; signal_exit 12; end
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>

static sem_t delivered;
static char *stack;
static int on_stack;

static void handle(int signal, siginfo_t *info, void *context) {
    char here;
    on_stack = &here > stack && &here < stack + 65536 && info->si_value.sival_int == 5;
    sem_post(&delivered);
}

static void *work(void *arg) {
    stack_t alternate = {.ss_sp = stack = malloc(65536), .ss_size = 65536};
    union sigval value = {.sival_int = 5};
    sigaltstack(&alternate, 0);
    pthread_sigqueue(pthread_self(), SIGUSR2, value);
    return arg;
}

int main(void) {
    pthread_t thread;
    struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sem_init(&delivered, 0, 0);
    sigaction(SIGUSR2, &action, 0);
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    return !on_stack;
}
