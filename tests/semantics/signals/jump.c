// flags: -D_GNU_SOURCE
// A handler is left by a jump; after it the thread is recorded as before, its accesses too.
// t0: start; fork t1; join t1; exit 0
// t1: start; release k; release all; signal_enter 10; acquire k; signal_exit 0; lock m; read data; write data; unlock m
// t1: release k; release all; signal_enter 10; acquire k; signal_exit 0; lock m; read data; write data; unlock m; end
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static sigjmp_buf back;
static int data;

static void leave(int signal) { siglongjmp(back, 1); }

static void *work(void *arg) {
    for (int i = 0; i < 2; i++) {
        if (sigsetjmp(back, 1) == 0)
            raise(SIGUSR1);
        pthread_mutex_lock(&mutex);
        data++;
        pthread_mutex_unlock(&mutex);
    }
    return arg;
}

int main(void) {
    pthread_t thread;
    printf("@data %p %zu\n", (void *)&data, sizeof data);
    signal(SIGUSR1, leave);
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    return 0;
}
