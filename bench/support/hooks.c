// The hooks of -fsanitize=thread without a recorder behind them: empty, to show the cost of the calls, or with -DCOUNT
// counting, to show how many accesses a kernel makes.
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef COUNT
// One slot for each thread, each on its own cache line: a single shared counter would take minutes.
enum { THREADS = 64, LINE = 8 };
static unsigned long counts[THREADS][LINE];
static int threads;
static __thread unsigned long *own;
static unsigned long *slot(void) {
    if (!own) own = counts[__atomic_fetch_add(&threads, 1, __ATOMIC_RELAXED) % THREADS];
    return own;
}
#define SEEN(n) (*slot() += (n))
__attribute__((destructor)) static void report(void) {
    unsigned long accesses = 0;
    FILE *file = fopen(getenv("COUNT_FILE"), "w");
    if (!file) return;
    for (int i = 0; i < THREADS; i++) accesses += counts[i][0];
    fprintf(file, "%lu\n", accesses);
    fclose(file);
}
#else
#define SEEN(n) ((void)0)
#endif

#define HOOK(name) void __tsan_##name(void *address) { (void)address; SEEN(1); }
#define SIZES(name) HOOK(name##1) HOOK(name##2) HOOK(name##4) HOOK(name##8) HOOK(name##16)
SIZES(read) SIZES(write) SIZES(read_write)
SIZES(unaligned_read) SIZES(unaligned_write) SIZES(unaligned_read_write)
void __tsan_init(void) {}
void __tsan_func_entry(void *caller) { (void)caller; }
void __tsan_func_exit(void) {}
void __tsan_read_range(void *address, size_t size) { (void)address, (void)size; SEEN(1); }
void __tsan_write_range(void *address, size_t size) { (void)address, (void)size; SEEN(1); }
void __foretrace_loop(void *address, long step, unsigned long count, unsigned long what) {
    (void)address, (void)step, (void)what;
    SEEN(count);
}
void *__tsan_memcpy(void *to, const void *from, size_t size) { SEEN(2); return memcpy(to, from, size); }
void *__tsan_memmove(void *to, const void *from, size_t size) { SEEN(2); return memmove(to, from, size); }
void *__tsan_memset(void *to, int byte, size_t size) { SEEN(1); return memset(to, byte, size); }
