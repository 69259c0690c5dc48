// ways: gcc clang tsan
// A compare-exchange that succeeds is a read-modify-write, one that fails a load, each with its own order.
// t0: start; fork t1; join t1; exit 0
// t1: start; armw a u32 release 0->5; acas_fail a u32 acquire 5; armw a2 u8 seq_cst 0->1; astore a2 u8 seq_cst 0
// t1: armw a u32 seq_cst 5->7; armw a u32 seq_cst 7->8; astore a u32 release 0; end
#include <pthread.h>
#include <stdatomic.h>

static atomic_int cell;
static atomic_flag flag = ATOMIC_FLAG_INIT;

static void *work(void *arg) {
    int expected = 0;
    if (!atomic_compare_exchange_strong_explicit(&cell, &expected, 5, memory_order_release, memory_order_relaxed))
        return arg;
    if (atomic_compare_exchange_strong_explicit(&cell, &expected, 6, memory_order_seq_cst, memory_order_acquire))
        return arg;
    if (expected != 5)
        return arg;
    atomic_flag_test_and_set(&flag);
    atomic_flag_clear(&flag);
    __sync_fetch_and_add((int *)&cell, 2);
    __sync_val_compare_and_swap((int *)&cell, 7, 8);
    __sync_lock_release((int *)&cell);
    return 0;
}

int main(void) {
    pthread_t thread;
    void *value;
    pthread_create(&thread, 0, work, &thread);
    pthread_join(thread, &value);
    return value != 0;
}
