// A handler of a fault jumps back: the thread that touched what it may not goes on, and is recorded.
// t0: start; fork t1; join t1; exit 0
// t1: start; signal_enter 11; acquire k; signal_exit 0; lock m; unlock m; end
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static sigjmp_buf back;

static void leave(int signal) { siglongjmp(back, 1); }

static void *work(void *arg) {
    if (sigsetjmp(back, 1) == 0)
        *(volatile int *)8 = 1;
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    return arg;
}

int main(void) {
    pthread_t thread;
    signal(SIGSEGV, leave);
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    return 0;
}
