// ways: gcc clang tsan
// flags: -fno-builtin
// show: a b
// Blocks of bytes: each function in a segment of its own.
// t0: start; fork t1; join t1; exit 0
// t1: start; read b[0..10]; write a[0..10]; release h; read a[0..20]; write a[5..25]; release h; write b[1..4]
// t1: release h; read a[0..12]; read b[0..12]; release h; read b[0..2]; release h; read b[0..50]; release h
// t1: read a[0..4]; write b[40..44]; release h; write a[90..100]; release h; release h; end
#include <pthread.h>
#include <string.h>
#include <strings.h>
void __tsan_release(void *at);
char a[100], b[100], mark[1];
int result;
static void *work(void *arg) {
    memcpy(a, b, 10), __tsan_release(mark);
    memmove(a + 5, a, 20), __tsan_release(mark);
    memset(b + 1, 7, 3), __tsan_release(mark);
    int differs = memcmp(a, b, 12), found;
    __tsan_release(mark);
    found = memchr(b, 7, 50) != 0, __tsan_release(mark);
    found += memchr(b, 9, 50) != 0, __tsan_release(mark);
    bcopy(a, b + 40, 4), __tsan_release(mark);
    bzero(a + 90, 10), __tsan_release(mark);
    memcpy(a, b, 0), __tsan_release(mark);
    return (char *)arg + differs + found;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    return 0;
}
