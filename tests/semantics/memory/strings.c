// ways: gcc clang tsan
// flags: -fno-builtin -D_GNU_SOURCE
// What libc's functions touch is touched by their caller, byte by byte.
// t0: start; fork t1; join t1; exit 0
// t1: start; read from[0..10]; write to[0..10]; lock m; unlock m; write to[3..8]; lock m; unlock m; read other[0..8]
// t1: write other[8..16]; lock m; unlock m; read from[0..14]; lock m; unlock m; read from[0..14]; write to[0..14]
// t1: lock m; unlock m; read to[0..14]; write to[13..15]; lock m; unlock m; read from[0..14]; read to[0..14]; lock m
// t1: unlock m; read from[0..3]; lock m; unlock m; read from[0..4]; read to[0..4]; lock m; unlock m; read from[0..14]
// t1: write other[0..20]; lock m; unlock m; end
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static _Alignas(64) char from[64] = "seven letters";
static _Alignas(64) char to[64];
static _Alignas(64) char other[64];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void step(void) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
}

static void *work(void *arg) {
    memcpy(to, from, 10);
    step();
    memset(to + 3, 'x', 5);
    step();
    memmove(other + 8, other, 8);
    step();
    size_t length = strlen(from);
    step();
    strcpy(to, from);
    step();
    strcat(to, "!");
    step();
    int order = strcmp(from, to);
    step();
    char *found = strchr(from, 'v');
    step();
    order += memcmp(from, to, 4);
    step();
    strncpy(other, from, 20);
    step();
    return length == 13 && order < 0 && found == from + 2 ? 0 : arg;
}

int main(void) {
    pthread_t thread;
    void *value;
    printf("@from %p %zu\n@to %p %zu\n@other %p %zu\n", from, sizeof from, to, sizeof to, other, sizeof other);
    pthread_create(&thread, 0, work, &thread);
    pthread_join(thread, &value);
    return value != 0;
}
