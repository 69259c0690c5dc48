// ways: gcc clang
// flags: -fno-builtin
// show: block
// Hooks that only some compilers and tools call.
// t0: start; fork t1; join t1; exit 0
// t1: start; read block[60..130]; release h; write block[1..2]; release h; read block[0..3]; release h
// t1: read block[4..8]; write block[56..72]; release h; read block[0..8]; release h
// t1: read block[61..69]; write block[1..17]; release h; read block[2..4]; write block[2..4]; write block[9..10]
// t1: release h; read block[0..1]; write block[5..6]; release h; write block[0..5]; release h; read block[0..4]
// t1: read block[100..104]; write block[100..105]; release h; release h; read block[104..105]; end
#include <pthread.h>
#include <stddef.h>
void __tsan_read_range(void *at, size_t bytes);
void __tsan_write_range(void *at, size_t bytes);
void __tsan_read_range_pc(void *at, size_t bytes, void *pc);
void __tsan_write_range_pc(void *at, size_t bytes, void *pc);
void __tsan_read4_pc(void *at, void *pc);
void __tsan_write16_pc(void *at, void *pc);
void __tsan_vptr_read(void **at);
void __tsan_vptr_update(void **at, void *new);
void __tsan_unaligned_read8(void *at);
void __tsan_unaligned_write16(void *at);
void __tsan_read_write2(void *at);
void __tsan_volatile_write1(void *at);
void __tsan_external_read(void *at, void *pc, void *tag);
void __tsan_external_write(void *at, void *pc, void *tag);
void *__tsan_memcpy(void *to, const void *from, size_t bytes);
void *__tsan_memset(void *to, int value, size_t bytes);
void *__tsan_memmove(void *to, const void *from, size_t bytes);
void __tsan_ignore_thread_begin(void);
void __tsan_ignore_thread_end(void);
void __tsan_release(void *at);
char block[200] __attribute__((aligned(64))), mark[1];
static void *work(void *arg) {
    __tsan_read_range(block + 60, 70), __tsan_release(mark);
    __tsan_write_range(block + 1, 1), __tsan_release(mark);
    __tsan_read_range_pc(block, 3, work), __tsan_write_range_pc(block, 0, work), __tsan_release(mark);
    __tsan_read4_pc(block + 4, work), __tsan_write16_pc(block + 56, work), __tsan_release(mark);
    __tsan_vptr_read((void **)block), __tsan_vptr_update((void **)(block + 8), 0), __tsan_release(mark);
    __tsan_unaligned_read8(block + 61), __tsan_unaligned_write16(block + 1), __tsan_release(mark);
    __tsan_read_write2(block + 2), __tsan_volatile_write1(block + 9), __tsan_release(mark);
    __tsan_external_read(block, work, 0), __tsan_external_write(block + 5, work, 0), __tsan_release(mark);
    __tsan_memset(block, 'x', 5), __tsan_release(mark);
    __tsan_memcpy(block + 100, block, 4), __tsan_memmove(block + 101, block + 100, 4), __tsan_release(mark);
    __tsan_ignore_thread_begin(), __tsan_read_range(block, 8), __tsan_ignore_thread_end(), __tsan_release(mark);
    return block[104] == 'x' ? arg : block;
}
int main(void) {
    pthread_t thread;
    void *wrong;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, &wrong);
    return wrong != 0;
}
