// ways: gcc clang tsan
// flags: -fno-builtin
// show: first second
// Dynamic annotations: order, locks of the program's own, names, and what is not to be looked at.
// t0: start; named boss; fork t1; join t1; acquire h; acquire h; exit 0
// t1: start; named worker; lock_init m annotated; lock m annotated; unlock m annotated; rdlock m annotated
// t1: unlock m annotated; lock_destroy m; write second; release h; read second; release h; end
#define _GNU_SOURCE
#include <pthread.h>
void AnnotateHappensBefore(const char *file, int line, void *at);
void AnnotateHappensAfter(const char *file, int line, void *at);
void AnnotateRWLockCreate(const char *file, int line, void *lock);
void AnnotateRWLockAcquired(const char *file, int line, void *lock, long exclusive);
void AnnotateRWLockReleased(const char *file, int line, void *lock, long exclusive);
void AnnotateRWLockDestroy(const char *file, int line, void *lock);
void AnnotateIgnoreReadsBegin(const char *file, int line);
void AnnotateIgnoreReadsEnd(const char *file, int line);
void AnnotateIgnoreWritesBegin(const char *file, int line);
void AnnotateIgnoreWritesEnd(const char *file, int line);
void AnnotateThreadName(const char *file, int line, const char *name);
void __tsan_acquire(void *at);
void __tsan_release(void *at);
char flag[1], lock[1];
int first, second;
static void *work(void *arg) {
    AnnotateThreadName(__FILE__, __LINE__, "worker");
    AnnotateRWLockCreate(__FILE__, __LINE__, lock);
    AnnotateRWLockAcquired(__FILE__, __LINE__, lock, 1);
    AnnotateRWLockReleased(__FILE__, __LINE__, lock, 1);
    AnnotateRWLockAcquired(__FILE__, __LINE__, lock, 0);
    AnnotateRWLockReleased(__FILE__, __LINE__, lock, 0);
    AnnotateRWLockDestroy(__FILE__, __LINE__, lock);
    AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
    second = first;
    AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
    __tsan_release(flag);
    AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
    first = second;
    AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
    AnnotateHappensBefore(__FILE__, __LINE__, flag);
    return arg;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_setname_np(pthread_self(), "boss");
    pthread_join(thread, 0);
    AnnotateHappensAfter(__FILE__, __LINE__, flag);
    __tsan_acquire(flag);
    return 0;
}
