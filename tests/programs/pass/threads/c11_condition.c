#include "../../program.h"
#include <threads.h>
// All of C11's threads: a condition, a once, and thread-specific storage.
static mtx_t m;
static cnd_t c;
static once_flag once = ONCE_FLAG_INIT;
static tss_t key;
static int ready, data, table;
static void fill(void) { table = 7; }
static int producer(void *unused) {
    (void)unused;
    call_once(&once, fill);
    tss_set(key, &data);
    data = table;
    mtx_lock(&m);
    ready = 1;
    cnd_signal(&c);
    mtx_unlock(&m);
    return 0;
}
static int consumer(void *unused) {
    (void)unused;
    call_once(&once, fill);
    mtx_lock(&m);
    while (!ready)
        cnd_wait(&c, &m);
    mtx_unlock(&m);
    return data + table + (tss_get(key) != NULL);
}
int main(void) {
    thrd_t one, two;
    int result = 0;
    mtx_init(&m, mtx_plain);
    cnd_init(&c);
    tss_create(&key, NULL);
    thrd_create(&one, producer, NULL);
    thrd_create(&two, consumer, NULL);
    thrd_join(one, NULL);
    thrd_join(two, &result);
    return result != 14;
}
