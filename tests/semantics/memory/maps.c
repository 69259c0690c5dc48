// ways: gcc clang tsan
// keep: alloc free
// Mapped memory begins and ends; a call that fails did nothing.
// t0: start; fork t1; alloc p; join t1; exit 0
// t1: start; alloc p2; free p2; end
#include <pthread.h>
#include <sys/mman.h>

static void *work(void *arg) {
    char *block = mmap(0, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    block[5] = 1;
    munmap(block, 1 << 20);
    mmap(0, 0, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    munmap(block + 1, 1);
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    return 0;
}
