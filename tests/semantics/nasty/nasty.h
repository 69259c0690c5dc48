// What the nasty programs share. Each calls `events` first, so that every recording has some.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

static pthread_mutex_t nasty_lock = PTHREAD_MUTEX_INITIALIZER;
static int nasty_count;

// Ends the program with a word to where, unless the condition holds.
#define MUST(condition)                                                \
    do {                                                               \
        if (!(condition)) {                                            \
            dprintf(1, "line %d: not %s\n", __LINE__, #condition);     \
            _exit(99);                                                 \
        }                                                              \
    } while (0)

__attribute__((unused)) static void *add(void *arg) {
    for (int turn = 0; turn < 100; turn++) {
        pthread_mutex_lock(&nasty_lock);
        nasty_count++;
        pthread_mutex_unlock(&nasty_lock);
    }
    return arg;
}

__attribute__((unused)) static void *add_forever(void *arg) {
    for (;;)
        add(arg);
    return arg;
}

// Two threads that lock a hundred times each.
__attribute__((unused)) static void events(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        MUST(pthread_create(&threads[i], 0, add, 0) == 0);
    for (int i = 0; i < 2; i++)
        MUST(pthread_join(threads[i], 0) == 0);
}

// Says how many additions there were, at once.
__attribute__((unused)) static void say(const char *what) {
    dprintf(1, "%s %d\n", what, nasty_count);
}

// The exit code of a child; 128 and the signal's number if one ended it.
__attribute__((unused)) static int end_of(pid_t child) {
    int status = 0;
    while (waitpid(child, &status, 0) != child)
        MUST(errno == EINTR);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// Memory that children share.
__attribute__((unused)) static void *shared(size_t size) {
    void *memory = mmap(0, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    MUST(memory != MAP_FAILED);
    return memory;
}

__attribute__((unused)) static pthread_t start(void *(*body)(void *), void *arg) {
    pthread_t thread;
    MUST(pthread_create(&thread, 0, body, arg) == 0);
    return thread;
}
