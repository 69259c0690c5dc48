// ways: gcc clang tsan
// flags: -fno-builtin
// show: now parts path precise seconds status
// Values and buffers that functions fill in.
// t0: start; fork t1; join t1; read path[0..1]; exit 0
// t1: start; acquire k; write status; release h; acquire k2; release h; write now; release h; write precise; release h; write seconds
// t1: release h; write parts; release h; write path[0..2]; release h; end
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>
void __tsan_release(void *at);
struct stat status;
struct timeval now;
struct timespec precise;
struct tm parts;
time_t seconds;
char path[64], mark[1];
static void *work(void *arg) {
    stat("/", &status), __tsan_release(mark);
    stat("/no such file", &status), __tsan_release(mark);
    gettimeofday(&now, 0), __tsan_release(mark);
    clock_gettime(CLOCK_MONOTONIC, &precise), __tsan_release(mark);
    time(&seconds), __tsan_release(mark);
    const time_t zero = 0;
    gmtime_r(&zero, &parts), __tsan_release(mark);
    realpath("/", path), __tsan_release(mark);
    return arg;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    return path[0] != '/';
}
