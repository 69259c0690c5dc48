// Memory with locks in it is unmapped, mapped again, moved, emptied and protected.
#include "nasty.h"

static pthread_mutex_t *mutex;

static void *use(void *arg) {
    pthread_mutex_lock(mutex);
    nasty_count++;
    pthread_mutex_unlock(mutex);
    return arg;
}

int main(void) {
    size_t size = 1 << 20;
    char *place = shared(size);
    events();
    for (int turn = 0; turn < 20; turn++) {
        mutex = (pthread_mutex_t *)(place + turn * 64);
        pthread_mutex_init(mutex, 0);
        pthread_join(start(use, 0), 0);
        madvise(place, size, MADV_DONTNEED);
        munmap(place, size);
        char *again = mmap(place, size, PROT_READ | PROT_WRITE, MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        MUST(again == place);
        pthread_join(start(use, 0), 0);
        madvise(place, size, MADV_DONTNEED);
        mprotect(place, size, PROT_READ);
        mprotect(place, size, PROT_READ | PROT_WRITE);
        place = mremap(place, size, 2 * size, MREMAP_MAYMOVE);
        MUST(place != MAP_FAILED);
        munmap(place + size, size);
    }
    say("came and went");
}
