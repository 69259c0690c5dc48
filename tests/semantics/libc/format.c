// ways: gcc clang tsan
// flags: -fno-builtin
// show: count first number out wide word
// What formatted output writes to a buffer, and what conversions store.
// t0: start; fork t1; join t1; read count; read first; read number; read out[16..17]; read wide; exit 0
// t1: start; write out[0..5]; release h; write out[0..4]; release h; write out[0..20]; release h; write count
// t1: write first; write number; write wide; write word[0..5]; release h; write first; release h; end
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
