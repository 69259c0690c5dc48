// Processes are forked while threads allocate, lock, use atomics and handle signals; every child does so, too.
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 3, FORKS = 100 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static atomic_int stop, turns;

static void handle(int signal) { atomic_fetch_add(&turns, 1); }

static void turn(void) {
    free(malloc(100));
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    atomic_fetch_add(&turns, 1);
    raise(SIGUSR1);
}

static void *work(void *arg) {
    while (!atomic_load(&stop))
        turn();
    return arg;
}

static void prepare(void) { pthread_mutex_lock(&mutex); }
static void resume(void) { pthread_mutex_unlock(&mutex); }

int main(void) {
    pthread_t threads[THREADS];
    int failures = 0;
    signal(SIGUSR1, handle);
    pthread_atfork(prepare, resume, resume);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], 0, work, 0);
    for (int i = 0; i < FORKS; i++) {
        int status;
        pid_t child = fork();
        if (child == 0) {
            alarm(20);
            for (int j = 0; j < 10; j++)
                turn();
            _exit(3);
        }
        waitpid(child, &status, 0);
        failures += !WIFEXITED(status) || WEXITSTATUS(status) != 3;
    }
    atomic_store(&stop, 1);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], 0);
    return failures;
}
