// flags: -D_GNU_SOURCE
// Forks by system calls: what the children do is not the parent's. The last is seen by nobody.
// t0: start; fork t1; join t1; process_fork; release p; acquire p; process_fork; release p; acquire p; process_fork; release p; acquire p
// t0: process_fork; release p; acquire p; acquire p; lock m; unlock m; exit 0
// t1: start; end
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, others[100];
static char stack[1 << 16];

static void *work(void *arg) { return arg; }

// Enough to fill what a thread has open, and threads of the child's own.
static int child(void *unused) {
    pthread_t thread;
    for (int i = 0; i < 100000; i++) {
        pthread_mutex_lock(&others[i % 100]);
        pthread_mutex_unlock(&others[i % 100]);
    }
    if (pthread_create(&thread, 0, work, 0) != 0 || pthread_join(thread, 0) != 0)
        _exit(4);
    _exit(3);
}

static int ended(pid_t process) {
    int status = 0;
    if (process == 0)
        child(0);
    return process > 0 && waitpid(process, &status, 0) == process && WEXITSTATUS(status) == 3;
}

static pid_t unseen(void) {
    long result = SYS_fork;
    __asm__ volatile("syscall" : "+a"(result) : : "rcx", "r11", "memory");
    return (pid_t)result;
}

int main(void) {
    pthread_t thread;
    struct { uint64_t flags, pidfd, child, parent, signal, rest[6]; } arguments = {.signal = SIGCHLD};
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    int good = ended((pid_t)syscall(SYS_fork));
    good &= ended((pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0));
    good &= ended((pid_t)syscall(SYS_clone3, &arguments, sizeof arguments));
    good &= ended(clone(child, stack + sizeof stack, SIGCHLD, 0));
    good &= ended(unseen());
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    return !good;
}
