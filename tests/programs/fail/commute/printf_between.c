#include <stdio.h>
#include <pthread.h>
#include <unistd.h>
/* stdio's lock orders the accesses in the observed run only */
static int result;
static void *producer(void *p) {
    result = 42; // expect: race with line 14
    printf("produced\n");
    return p;
}
static void *consumer(void *p) {
    usleep(20000);
    printf("consuming\n");
    result++;
    return p;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, producer, NULL);
    pthread_create(&b, NULL, consumer, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
