// Takes all the memory it may have, sees allocations and a thread fail, gives it back and goes on.
#include "nasty.h"

enum { MOST = 4096, SMALLEST = 64 << 10 };
static struct { void *start; size_t size; } blocks[MOST];
static int count;

static void take_all(void) {
    for (size_t size = 32 << 20; size >= SMALLEST; size /= 2) {
        while (count < MOST) {
            void *block = mmap(0, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            if (block == MAP_FAILED)
                break;
            blocks[count].start = block;
            blocks[count++].size = size;
        }
    }
}

int main(void) {
    events();
    struct rlimit all = { (rlim_t)4 << 30, (rlim_t)4 << 30 };
    MUST(setrlimit(RLIMIT_AS, &all) == 0);
    take_all();
    // The two threads from above may have left stacks that can be used again.
    pthread_attr_t large;
    pthread_t thread;
    pthread_attr_init(&large);
    pthread_attr_setstacksize(&large, 64 << 20);
    MUST(pthread_create(&thread, &large, add, 0) == EAGAIN);
    void *volatile block = malloc(64 << 20);
    MUST(block == 0);
    add(0);
    while (count-- > 0)
        munmap(blocks[count].start, blocks[count].size);
    MUST(pthread_create(&thread, &large, add, 0) == 0 && pthread_join(thread, 0) == 0);
    say("went on");
}
