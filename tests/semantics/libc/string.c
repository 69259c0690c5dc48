// ways: gcc clang tsan
// flags: -fno-builtin
// show: other out text
// Each function of strings in a segment of its own.
// t0: start; fork t1; join t1; exit 0
// t1: start; read text[0..6]; release h; read text[0..3]; release h; read text[0..6]; write out[0..6]; release h
// t1: read other[0..5]; read out[0..6]; write out[5..10]; release h; read other[0..5]; write out[0..10]; release h
// t1: read out[0..5]; read text[0..2]; write out[4..7]; release h; read other[0..4]; read text[0..4]; release h
// t1: read other[0..2]; read text[0..2]; release h; read text[0..4]; release h; read text[0..3]; release h
// t1: read text[0..6]; release h; read text[0..6]; release h; read text[0..3]; release h; read text[0..5]; release h
// t1: release h; read other[0..5]; release h; write out[0..3]; release h; end
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
void __tsan_release(void *at);
char text[40] = "hello", other[40] = "help", out[40], mark[1];
static void *work(void *arg) {
    long sum = (long)arg;
    sum += strlen(text), __tsan_release(mark);
    sum += strnlen(text, 3), __tsan_release(mark);
    strcpy(out, text), __tsan_release(mark);
    strcat(out, other), __tsan_release(mark);
    strncpy(out, other, 10), __tsan_release(mark);
    strncat(out, text, 2), __tsan_release(mark);
    sum += strcmp(text, other), __tsan_release(mark);
    sum += strncmp(text, other, 2), __tsan_release(mark);
    sum += strcasecmp(text, "HELD"), __tsan_release(mark);
    sum += strchr(text, 'l') != 0, __tsan_release(mark);
    sum += strrchr(text, 'l') != 0, __tsan_release(mark);
    sum += strstr(text, "lo") != 0, __tsan_release(mark);
    sum += strspn(text, "eh"), __tsan_release(mark);
    sum += strcspn(text, "o"), __tsan_release(mark);
    sum += strtol("12x", 0, 10), __tsan_release(mark);
    char *copy = strdup(other);
    __tsan_release(mark);
    stpcpy(out, "xy"), __tsan_release(mark);
    free(copy);
    return (void *)sum;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    return 0;
}
