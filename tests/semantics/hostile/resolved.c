// Prints what the library of resolver.c answers.
#include <pthread.h>
#include <stdio.h>

int answer(void);

static void *run(void *arg) { return arg; }

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, run, NULL);
    pthread_join(thread, NULL);
    printf("%d\n", answer());
    return 0;
}
