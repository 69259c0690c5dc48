// ways: gcc clang tsan
// An atomic operation on what may not be touched: the handler jumps back, and both the thread and others can still use
// atomics.
// t0: start; fork t1; join t1; fork t2; join t2; aload a u32 seq_cst 2; exit 0
// t1: start; signal_enter 11; acquire k; signal_exit 0; armw a u32 seq_cst 0->1; end
// t2: start; signal_enter 11; acquire k; signal_exit 0; armw a u32 seq_cst 1->2; end
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>

static sigjmp_buf back;
static atomic_int counter;

static void leave(int signal) { siglongjmp(back, 1); }

static void *work(void *arg) {
    if (sigsetjmp(back, 1) == 0)
        atomic_fetch_add((atomic_int *)arg, 1);
    atomic_fetch_add(&counter, 1);
    return arg;
}

int main(void) {
    pthread_t thread;
    signal(SIGSEGV, leave);
    for (size_t i = 0; i < 2; i++) {
        pthread_create(&thread, 0, work, (void *)(8 + 8 * i));
        pthread_join(thread, 0);
    }
    return atomic_load(&counter) != 2;
}
