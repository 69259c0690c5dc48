// flags: -mcx16 -latomic
// ways: gcc clang tsan
// Atomic operations of all widths, with the values they read and wrote.
// t0: start; fork t1; join t1; exit 0
// t1: start; astore a u8 relaxed 200; armw a u8 acq_rel 200->44; aload a u8 acquire 44; armw a2 u16 release 0->7
// t1: armw a2 u16 seq_cst 7->65535; armw a3 u32 acquire 0->240; armw a3 u32 release 240->48
// t1: armw a3 u32 relaxed 48->33; armw a3 u32 seq_cst 33->4294967262; astore a4 u64 seq_cst 1311768467463790320
// t1: aload a4 u64 seq_cst 1311768467463790320; armw a4 u64 relaxed 1311768467463790320->1311768467463790336
// t1: astore a5 u128 release 0x1:2; armw a5 u128 acq_rel 0x1:2->0x10:20; acas_fail a5 u128 acquire 0x10:20; end
#include <pthread.h>
#include <stdint.h>

static uint8_t a8;
static uint16_t a16;
static uint32_t a32;
static uint64_t a64;
static __attribute__((aligned(16))) unsigned __int128 a128;

static void *work(void *arg) {
    __atomic_store_n(&a8, 200, __ATOMIC_RELAXED);
    __atomic_fetch_add(&a8, 100, __ATOMIC_ACQ_REL);
    __atomic_load_n(&a8, __ATOMIC_ACQUIRE);
    __atomic_exchange_n(&a16, 7, __ATOMIC_RELEASE);
    __atomic_fetch_sub(&a16, 8, __ATOMIC_SEQ_CST);
    __atomic_fetch_or(&a32, 0xf0, __ATOMIC_ACQUIRE);
    __atomic_fetch_and(&a32, 0x3c, __ATOMIC_RELEASE);
    __atomic_fetch_xor(&a32, 0x11, __ATOMIC_RELAXED);
    __atomic_fetch_nand(&a32, 0x21, __ATOMIC_SEQ_CST);
    __atomic_store_n(&a64, 0x123456789abcdef0, __ATOMIC_SEQ_CST);
    __atomic_load_n(&a64, __ATOMIC_SEQ_CST);
    __atomic_add_fetch(&a64, 0x10, __ATOMIC_RELAXED);
    unsigned __int128 big = ((unsigned __int128)1 << 64) + 2, expected = big;
    __atomic_store_n(&a128, big, __ATOMIC_RELEASE);
    __atomic_compare_exchange_n(&a128, &expected, big << 4, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
    __atomic_compare_exchange_n(&a128, &expected, big, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
    return expected == big << 4 ? 0 : arg;
}

int main(void) {
    pthread_t thread;
    void *value;
    pthread_create(&thread, 0, work, &thread);
    pthread_join(thread, &value);
    return value != 0;
}
