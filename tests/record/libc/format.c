// Formats: what is written to a buffer, and what conversions store.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
void __tsan_release(void *at);
char out[64], word[16], mark[1];
int first, last, count;
double number;
long wide;
static void *work(void *arg) {
    sprintf(out, "%d", 1234), __tsan_release(mark);
    snprintf(out, 4, "%s", "longer than that"), __tsan_release(mark);
    snprintf(out, sizeof out, "%d %d %d %d %d %d %.1f %.1f", 1, 2, 3, 4, 5, 6, 7.5, 8.5), __tsan_release(mark);
    sscanf("1 word 2.5 7", "%d %15s %lf %ld%n", &first, word, &number, &wide, &count), __tsan_release(mark);
    sscanf("5 x", "%d %d", &first, &last), __tsan_release(mark);
    return arg;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    return out[16] != '8' || first != 5 || number != 2.5 || wide != 7 || count != 12;
}
