// ways: gcc clang tsan
// flags: -fno-builtin -latomic -w
// What compilers do not inline: variables of sixteen bytes with their values, larger ones by their order.
// t0: start; fork t1; join t1; exit 0
// t1: start; release h; acquire h; acquire h; release h; armw a u64 relaxed 0->3; armw a u64 acq_rel 3->7
// t1: acas_fail a u64 relaxed 7; armw a2 u128 seq_cst 0x0:0->0x0:b; end
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
struct large {
    long parts[4];
};
_Atomic struct large large;
unsigned long long word;
unsigned __int128 two __attribute__((aligned(16)));
unsigned long long __atomic_fetch_add_8(volatile void *at, unsigned long long operand, int order);
unsigned long long __atomic_add_fetch_8(volatile void *at, unsigned long long operand, int order);
bool __atomic_compare_exchange_8(volatile void *at, void *expected, unsigned long long new, int order, int failure);
unsigned __int128 __atomic_exchange_16(volatile void *at, unsigned __int128 new, int order);
static void *work(void *arg) {
    struct large one = {{1, 2, 3, 4}}, found;
    atomic_store_explicit(&large, one, memory_order_release);
    found = atomic_load_explicit(&large, memory_order_acquire);
    atomic_compare_exchange_strong(&large, &found, one);
    unsigned long long expected = 5;
    int wrong = found.parts[3] != 4;
    wrong += __atomic_fetch_add_8(&word, 3, memory_order_relaxed) != 0;
    wrong += __atomic_add_fetch_8(&word, 4, memory_order_acq_rel) != 7;
    wrong += __atomic_compare_exchange_8(&word, &expected, 9, memory_order_seq_cst, memory_order_relaxed);
    wrong += expected != 7;
    wrong += __atomic_exchange_16(&two, 11, memory_order_seq_cst) != 0;
    return wrong ? &word : arg;
}
int main(void) {
    pthread_t thread;
    void *wrong;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, &wrong);
    return wrong != 0;
}
