// A thread with a stack of a gigabyte, and one that uses most of 64 megabytes.
#include "nasty.h"

static void *touch(void *arg) {
    volatile char block[48 << 20];
    for (size_t at = 0; at < sizeof block; at += 4096)
        block[at] = 1;
    return add(arg);
}

int main(void) {
    pthread_attr_t attributes;
    pthread_t one, two;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, (size_t)1 << 30);
    MUST(pthread_create(&one, &attributes, add, 0) == 0);
    pthread_attr_setstacksize(&attributes, 64 << 20);
    MUST(pthread_create(&two, &attributes, touch, 0) == 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    say("room enough");
}
