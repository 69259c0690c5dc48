// ways: gcc clang tsan
// Order that the program itself declares, and locks of its own.
// t0: start; lock_init m annotated; fork t1; join t1; acquire h; acquire h2; lock_destroy m; exit 0
// t1: start; release h; release h2; lock m annotated; unlock m annotated; end
#include <pthread.h>

void __tsan_acquire(void *);
void __tsan_release(void *);
void __tsan_mutex_create(void *, unsigned);
void __tsan_mutex_pre_lock(void *, unsigned);
void __tsan_mutex_post_lock(void *, unsigned, int);
int __tsan_mutex_pre_unlock(void *, unsigned);
void __tsan_mutex_post_unlock(void *, unsigned);
void __tsan_mutex_destroy(void *, unsigned);
void AnnotateHappensBefore(const char *, int, const volatile void *);
void AnnotateHappensAfter(const char *, int, const volatile void *);

static int edge, other, lock;

static void *work(void *arg) {
    __tsan_release(&edge);
    AnnotateHappensBefore(__FILE__, __LINE__, &other);
    __tsan_mutex_pre_lock(&lock, 0);
    __tsan_mutex_post_lock(&lock, 0, 0);
    __tsan_mutex_pre_unlock(&lock, 0);
    __tsan_mutex_post_unlock(&lock, 0);
    return arg;
}

int main(void) {
    pthread_t thread;
    __tsan_mutex_create(&lock, 0);
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    __tsan_acquire(&edge);
    AnnotateHappensAfter(__FILE__, __LINE__, &other);
    __tsan_mutex_destroy(&lock, 0);
    return 0;
}
