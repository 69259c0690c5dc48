// Threads with the smallest stacks there are.
#include "nasty.h"

int main(void) {
    pthread_attr_t attributes;
    pthread_t threads[20];
    pthread_attr_init(&attributes);
    MUST(pthread_attr_setstacksize(&attributes, PTHREAD_STACK_MIN) == 0);
    for (int i = 0; i < 20; i++)
        MUST(pthread_create(&threads[i], &attributes, add, 0) == 0);
    for (int i = 0; i < 20; i++)
        pthread_join(threads[i], 0);
    say("room enough");
}
