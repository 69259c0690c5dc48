// Two threads wait until a flag is set, by the system call; a third sets it and wakes both, with -DBUG only one. With -DTIMED
// they give up after a while and go on. With -DLOCK, they use a lock made of a futex instead, whose unlock with -DBUG wakes
// nobody although a second thread waits.
#define _GNU_SOURCE
#include <assert.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

atomic_int word;
int sum;

static long futex(int operation, int value, struct timespec *time) {
    return syscall(SYS_futex, &word, operation | FUTEX_PRIVATE_FLAG, value, time, 0, 0);
}

#ifdef LOCK
static void lock(void) {
    int seen = 0;
    if (atomic_compare_exchange_strong(&word, &seen, 1))
        return;
#ifdef BUG
    // Who comes here after a wait must leave 2, because others may wait as well.
    while (atomic_compare_exchange_strong(&word, &(int){0}, 1) == 0) {
        atomic_compare_exchange_strong(&word, &(int){1}, 2);
        futex(FUTEX_WAIT, 2, 0);
    }
#else
    while (atomic_exchange(&word, 2) != 0)
        futex(FUTEX_WAIT, 2, 0);
#endif
}

static void unlock(void) {
    if (atomic_exchange(&word, 0) == 2)
        futex(FUTEX_WAKE, 1, 0);
}

static void *work(void *none) {
    lock();
    sum++;
    unlock();
    return none;
}
#else
static void *work(void *number) {
    if (number) {
        atomic_store(&word, 1);
#ifdef BUG
        futex(FUTEX_WAKE, 1, 0);
#else
        futex(FUTEX_WAKE, 2147483647, 0);
#endif
        return 0;
    }
    struct timespec time = {1, 0}, *limit = 0;
#ifdef TIMED
    limit = &time;
#endif
    while (atomic_load(&word) == 0)
        if (futex(FUTEX_WAIT, 0, limit) && limit)
            break;
    (void)time;
    return 0;
}
#endif

int main(void) {
    pthread_t threads[3];
    for (long i = 0; i < 3; i++)
        pthread_create(&threads[i], 0, work, (void *)(i == 2 ? 1L : 0L));
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], 0);
#ifdef LOCK
    assert(sum == 3);
#endif
    return 0;
}
