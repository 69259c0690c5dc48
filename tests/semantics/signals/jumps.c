// Plain longjmp, out of a locked region and out of a called function.
// t0: start; fork t1; join t1; exit 0
// t1: start; lock m; unlock m; end
#include <pthread.h>
#include <setjmp.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static jmp_buf back;

static void leave(void) {
    pthread_mutex_lock(&mutex);
    longjmp(back, 1);
}

static void *work(void *arg) {
    if (setjmp(back) == 0)
        leave();
    pthread_mutex_unlock(&mutex);
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    return 0;
}
