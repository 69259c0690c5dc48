#include "../../program.h"
#include <threads.h>
// C11 threads crash ThreadSanitizer.
static mtx_t m;
static int count;
static int a(void *unused) {
    (void)unused;
    mtx_lock(&m);
    count++;
    mtx_unlock(&m);
    return 0;
}
int main(void) {
    thrd_t one, two;
    mtx_init(&m, mtx_plain);
    thrd_create(&one, a, NULL);
    thrd_create(&two, a, NULL);
    thrd_join(one, NULL);
    thrd_join(two, NULL);
    return count != 2;
}
