// ways: gcc clang tsan
// Fences, and data handed over by them.
// t0: start; fork t1; join t1; aload a u32 relaxed 1; fence acquire; read data; fence seq_cst; exit 0
// t1: start; write data; fence release; astore a u32 relaxed 1; end
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static int data;
static atomic_int flag;

static void *work(void *arg) {
    data = 1;
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&flag, 1, memory_order_relaxed);
    atomic_signal_fence(memory_order_seq_cst);
    return arg;
}

int main(void) {
    pthread_t thread;
    printf("@data %p %zu\n", (void *)&data, sizeof data);
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    atomic_load_explicit(&flag, memory_order_relaxed);
    atomic_thread_fence(memory_order_acquire);
    int result = data;
    __sync_synchronize();
    return result != 1;
}
