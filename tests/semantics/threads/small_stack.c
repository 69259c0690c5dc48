// flags: -D_GNU_SOURCE
// exit: 4
// The smallest stack there is has room for the recorder: for threads, names, signals, and the end of the program.
// t0: start; fork t1
// t1: start; named small; lock m; unlock m; fork t2; join t2; release k; release all
// t1: signal_enter 10; acquire k; signal_exit 10; exit 4
// t2: start; named small; lock m; unlock m; end
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void handle(int signal) { (void)signal; }

static void *work(void *arg) {
    pthread_t thread;
    pthread_setname_np(pthread_self(), "small");
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    if (arg) {
        pthread_create(&thread, arg, work, 0);
        pthread_join(thread, 0);
        raise(SIGUSR1);
        exit(4);
    }
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_attr_t attributes;
    signal(SIGUSR1, handle);
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, PTHREAD_STACK_MIN);
    pthread_create(&thread, &attributes, work, &attributes);
    pthread_join(thread, 0);
    return 0;
}
