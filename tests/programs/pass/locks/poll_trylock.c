#include "../../program.h"
#include <threads.h>
// Polls a mutex with attempts to take it.
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
mtx_t c;
int data;
NOBODY_CARES(a) {
    while (pthread_mutex_trylock(&m)) { }
    data++;
    let_others_run();
    pthread_mutex_unlock(&m);
    while (mtx_trylock(&c) != thrd_success) { }
    data++;
    mtx_unlock(&c);
    return unused;
}
NOBODY_CARES(b) {
    mtx_lock(&c);
    pthread_mutex_lock(&m);
    let_others_run();
    data++;
    pthread_mutex_unlock(&m);
    mtx_unlock(&c);
    return unused;
}
int main(void) { mtx_init(&c, mtx_plain); run2(b, a); return 0; }
