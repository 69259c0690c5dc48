// ways: gcc clang tsan
// flags: -fno-builtin
// show: guarded lock nested
// Locks announced through ThreadSanitizer's interface: what they do inside is their own business.
// t0: start; fork t1; join t1; exit 0
// t1: start; lock_init m annotated; write lock[0..1]; lock m annotated; write guarded; unlock m annotated; rdlock m annotated
// t1: unlock m annotated; lock m annotated try; unlock m annotated; flock m annotated try; write lock[0..1]
// t1: lock_destroy m
// t1: lock_init m2 recursive; write nested[0..1]; lock m2 recursive; lock m2 recursive; read nested[0..1]
// t1: unlock m2 recursive; read nested[0..1]; unlock m2 recursive; lock m2 recursive; lock m2 recursive
// t1: read nested[0..1]; unlock m2 recursive; read nested[0..1]; unlock m2 recursive; end
#include <pthread.h>
void __tsan_mutex_create(void *lock, unsigned flags);
void __tsan_mutex_destroy(void *lock, unsigned flags);
void __tsan_mutex_pre_lock(void *lock, unsigned flags);
void __tsan_mutex_post_lock(void *lock, unsigned flags, int recursion);
int __tsan_mutex_pre_unlock(void *lock, unsigned flags);
void __tsan_mutex_post_unlock(void *lock, unsigned flags);
enum { REENTRANT = 2, READ = 8, TRY = 16, FAILED = 32, ALL_LOCKS = 64, ALL_UNLOCKS = 128 };
int lock, nested, guarded;
static void acquire(int *which, unsigned flags, int times) {
    __tsan_mutex_pre_lock(which, flags & ~FAILED);
    *(volatile int *)which = 1;
    __tsan_mutex_post_lock(which, flags, times);
}
static int release(int *which, unsigned flags) {
    int times = __tsan_mutex_pre_unlock(which, flags);
    *(volatile int *)which = 0;
    __tsan_mutex_post_unlock(which, flags);
    return times;
}
static void *work(void *arg) {
    __tsan_mutex_create(&lock, 0);
    acquire(&lock, 0, 0), guarded = 1, release(&lock, 0);
    acquire(&lock, READ, 0), release(&lock, READ);
    acquire(&lock, TRY, 0), release(&lock, 0);
    acquire(&lock, TRY | FAILED, 0);
    __tsan_mutex_destroy(&lock, 0);
    __tsan_mutex_create(&nested, REENTRANT);
    acquire(&nested, 0, 0), acquire(&nested, 0, 0);
    int times = release(&nested, ALL_UNLOCKS);
    acquire(&nested, ALL_LOCKS, times), release(&nested, 0), release(&nested, 0);
    return times == 2 ? arg : &lock;
}
int main(void) {
    pthread_t thread;
    void *failed;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, &failed);
    return failed != 0;
}
