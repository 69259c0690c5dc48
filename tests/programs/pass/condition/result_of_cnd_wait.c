#include "../../program.h"
#include <threads.h>
// C11 has no result for a wait without a deadline but success and an error that this program cannot make.
static mtx_t m;
static cnd_t c;
static int ready, timeouts;
static int waiter(void *unused) {
    (void)unused;
    mtx_lock(&m);
    while (!ready)
        if (cnd_wait(&c, &m) != thrd_success) {
            mtx_unlock(&m);
            timeouts = ready; // without the lock
            return 1;
        }
    mtx_unlock(&m);
    return 0;
}
int main(void) {
    thrd_t one, two;
    mtx_init(&m, mtx_plain);
    cnd_init(&c);
    thrd_create(&one, waiter, NULL);
    thrd_create(&two, waiter, NULL);
    let_others_run();
    mtx_lock(&m);
    ready = 1;
    cnd_broadcast(&c);
    mtx_unlock(&m);
    thrd_join(one, NULL);
    thrd_join(two, NULL);
    return timeouts < 0;
}
