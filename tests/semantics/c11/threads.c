// flags: -std=c11
// C11 threads: results, exit, detach, mutexes of every type, conditions, call_once.
// t0: start; lock_init m recursive; sem_init s 0; fork t1; join t1; lock m2; lock m3; fork t2; join t2; unlock m3
// t0: unlock m2; fork t3; sem_wait s; lock m2; signal c; broadcast c; unlock m2; join t3; lock_destroy m2
// t0: cond_destroy c; exit 0
// t1: start; once_run o; once_done o; end
// t2: start; once_pass o; flock m2 try; lock m recursive; lock m recursive; unlock m recursive; unlock m recursive
// t2: flock m3 timed; end
// t3: start; lock m2; unlock m2; fwait c m2; lock m2; sem_post s; unlock m2; wait c m2; lock m2; unlock m2; end
#include <semaphore.h>
#include <threads.h>
#include <time.h>

static mtx_t plain, recursive, timed;
static cnd_t cond;
static once_flag once = ONCE_FLAG_INIT;
static sem_t locked;
static int ready;

static void initialise(void) {}

static int leave(void *arg) {
    call_once(&once, initialise);
    thrd_exit(*(int *)arg);
}

static int locks(void *arg) {
    struct timespec past = {1, 0}, future;
    timespec_get(&future, TIME_UTC);
    future.tv_sec += 100;
    call_once(&once, initialise);
    if (mtx_trylock(&plain) != thrd_busy)
        return 1;
    mtx_lock(&recursive);
    mtx_lock(&recursive);
    mtx_unlock(&recursive);
    mtx_unlock(&recursive);
    if (mtx_timedlock(&timed, &past) != thrd_timedout)
        return 2;
    return 0;
}

static int waits(void *arg) {
    struct timespec past = {1, 0};
    mtx_lock(&plain);
    if (cnd_timedwait(&cond, &plain, &past) != thrd_timedout)
        return 1;
    sem_post(&locked);
    while (!ready)
        cnd_wait(&cond, &plain);
    mtx_unlock(&plain);
    return 0;
}

int main(void) {
    thrd_t thread;
    int result, code = 42;
    mtx_init(&plain, mtx_plain);
    mtx_init(&recursive, mtx_plain | mtx_recursive);
    mtx_init(&timed, mtx_timed);
    cnd_init(&cond);
    sem_init(&locked, 0, 0);

    thrd_create(&thread, leave, &code);
    thrd_join(thread, &result);
    if (result != 42)
        return 1;

    mtx_lock(&plain);
    mtx_lock(&timed);
    thrd_create(&thread, locks, 0);
    thrd_join(thread, &result);
    mtx_unlock(&timed);
    mtx_unlock(&plain);
    if (result != 0)
        return 2;

    thrd_create(&thread, waits, 0);
    sem_wait(&locked);
    mtx_lock(&plain);
    ready = 1;
    cnd_signal(&cond);
    cnd_broadcast(&cond);
    mtx_unlock(&plain);
    thrd_join(thread, &result);
    mtx_destroy(&plain);
    cnd_destroy(&cond);
    return result;
}
