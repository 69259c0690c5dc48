#include "../../program.h"
#include <threads.h>
static mtx_t m, n;
static int a(void *unused) {
    (void)unused;
    mtx_lock(&m);
    mtx_lock(&n); // expect: deadlock
    mtx_unlock(&n);
    mtx_unlock(&m);
    return 0;
}
static int b(void *unused) {
    (void)unused;
    let_others_run();
    mtx_lock(&n);
    mtx_lock(&m);
    mtx_unlock(&m);
    mtx_unlock(&n);
    return 0;
}
int main(void) {
    thrd_t one, two;
    mtx_init(&m, mtx_plain);
    mtx_init(&n, mtx_plain);
    thrd_create(&one, a, NULL);
    thrd_create(&two, b, NULL);
    thrd_join(one, NULL);
    thrd_join(two, NULL);
    return 0;
}
// fails whenever: 6 before 16, 15 before 7
