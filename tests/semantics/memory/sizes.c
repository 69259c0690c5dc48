// ways: gcc clang tsan
// Plain accesses of every size, aligned or not, whole and in part, merged within a segment.
// t0: start; fork t1; join t1; exit 0
// t1: start; write u8; lock m; unlock m; read u8; write u16; lock m; unlock m; read u32; write u32; lock m; unlock m
// t1: write u64[3..4]; lock m; unlock m; write odd[1..9]; lock m; unlock m; write big[8..16]; lock m; unlock m
// t1: read big; write copy; end
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

struct __attribute__((packed)) Odd {
    char first;
    uint64_t number;
    char last;
};

struct Big {
    char bytes[40];
};

static uint8_t u8;
static uint16_t u16;
static uint32_t u32;
static uint64_t u64;
static _Alignas(64) struct Odd odd;
static struct Big big, copy;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void step(void) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
}

static void *work(void *arg) {
    u8 = 1;
    step();
    u16 = u8;
    step();
    u32++;
    step();
    ((volatile char *)&u64)[3] = 1;
    step();
    odd.number = 5;
    step();
    for (int i = 8; i < 16; i++)
        ((volatile char *)big.bytes)[i] = 1;
    step();
    copy = big;
    return arg;
}

int main(void) {
    pthread_t thread;
#define NAME(it) printf("@" #it " %p %zu\n", (void *)&it, sizeof it)
    NAME(u8);
    NAME(u16);
    NAME(u32);
    NAME(u64);
    NAME(odd);
    NAME(big);
    NAME(copy);
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    return 0;
}
