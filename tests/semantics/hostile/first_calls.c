// Not recorded. Threads call functions for the first time at once, and nobody has allocated anything yet: allocation must
// not be taken for part of another thread's look-up, which has little memory to give. In 200 processes, because a process
// has one first time.
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CHILDREN = 200, THREADS = 4, BLOCKS = 4, SIZE = 1 << 20 };

static atomic_int waiting;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_spinlock_t spin;
static sem_t semaphore;

static void look_up(void) {
    pthread_mutex_trylock(&mutex);
    pthread_rwlock_tryrdlock(&rwlock);
    pthread_cond_signal(&cond);
    sem_post(&semaphore);
    pthread_spin_trylock(&spin);
    pthread_cond_broadcast(&cond);
    sem_trywait(&semaphore);
}

static void *work(void *blocks) {
    waiting++;
    while (waiting < THREADS) sched_yield();
    look_up();
    for (int i = 0; i < BLOCKS; i++) ((char **)blocks)[i] = malloc(SIZE);
    return NULL;
}

static int race(void) {
    static char *blocks[THREADS][BLOCKS];
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, work, blocks[i]);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    for (int i = 0; i < THREADS * BLOCKS; i++)
        if (!blocks[i / BLOCKS][i % BLOCKS]) return 1;
    return 0;
}

int main(void) {
    int failed = 0;
    for (int i = 0; i < CHILDREN; i++) {
        pid_t child = fork();
        if (child == 0) _exit(race());
        int status;
        if (waitpid(child, &status, 0) != child || status != 0) failed++;
    }
    return failed < 100 ? failed : 100;
}
