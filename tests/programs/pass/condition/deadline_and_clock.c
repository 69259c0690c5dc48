#include "../../program.h"
// Every time-out is compared with the clock: a program that finds it too early uses the counter without the lock.
static int early, data;
MUTEX(m);
COND(c);
static pthread_cond_t by_monotonic;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static sem_t sem;
static struct timespec soon(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    t.tv_nsec += 60000000L;
    t.tv_sec += t.tv_nsec / 1000000000L;
    t.tv_nsec %= 1000000000L;
    return t;
}
static void compare(int result, clockid_t clock, struct timespec until) {
    struct timespec now;
    clock_gettime(clock, &now);
    if (result == ETIMEDOUT && (now.tv_sec < until.tv_sec || (now.tv_sec == until.tv_sec && now.tv_nsec < until.tv_nsec)))
        early = ++data; // without the lock
}
NOBODY_CARES(a) {
    struct timespec t = soon(CLOCK_REALTIME);
    L(m);
    compare(pthread_cond_timedwait(&c, &m, &t), CLOCK_REALTIME, t);
    t = soon(CLOCK_MONOTONIC);
    compare(pthread_cond_timedwait(&by_monotonic, &m, &t), CLOCK_MONOTONIC, t);
    U(m);
    t = soon(CLOCK_REALTIME);
    int result = pthread_mutex_timedlock(&m, &t);
    compare(result, CLOCK_REALTIME, t);
    if (result == 0)
        U(m);
    t = soon(CLOCK_MONOTONIC);
    result = pthread_rwlock_clockrdlock(&rw, CLOCK_MONOTONIC, &t);
    compare(result, CLOCK_MONOTONIC, t);
    if (result == 0)
        pthread_rwlock_unlock(&rw);
    t = soon(CLOCK_REALTIME);
    result = sem_timedwait(&sem, &t) == 0 ? 0 : errno;
    compare(result, CLOCK_REALTIME, t);
    return unused;
}
NOBODY_CARES(b) {
    let_others_run();
    for (int i = 0; i < 2; i++) {
        L(m);
        data++;
        pthread_cond_signal(i ? &by_monotonic : &c);
        U(m);
        let_others_run();
    }
    pthread_rwlock_wrlock(&rw);
    data++;
    pthread_rwlock_unlock(&rw);
    sem_post(&sem);
    return unused;
}
int main(void) {
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&by_monotonic, &attributes);
    sem_init(&sem, 0, 0);
    run2(a, b);
    return early;
}
