// Threads on memory of the program, one after the other on the same, which is unmapped in the end.
#include "nasty.h"

int main(void) {
    pthread_attr_t attributes;
    size_t size = 256 << 10;
    void *stack = shared(size);
    pthread_attr_init(&attributes);
    MUST(pthread_attr_setstack(&attributes, stack, size) == 0);
    for (int i = 0; i < 20; i++) {
        pthread_t thread;
        MUST(pthread_create(&thread, &attributes, add, 0) == 0);
        pthread_join(thread, 0);
        memset(stack, 0xff, size);
    }
    munmap(stack, size);
    events();
    say("reused");
}
