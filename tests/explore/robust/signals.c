// A handler, a timer, a sleep and output.
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/time.h>
#include <unistd.h>

static atomic_int seen;

static void handle(int signal) {
    (void)signal;
    atomic_fetch_add(&seen, 1);
}

static void *work(void *unused) {
    usleep(1000);
    raise(SIGUSR1);
    puts("from a thread");
    return unused;
}

int main(void) {
    signal(SIGUSR1, handle);
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    sleep(1);
    pthread_join(thread, NULL);
    return seen != 1;
}
