// Gives up the system calls that a recorder might need, then makes threads and locks as if nothing were. First argument:
// "kill" or "error" for what happens to who makes one of them; second: "early" if before it has had threads, or "late".
// With "all" as a third argument the filter is for all threads at once.
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { THREADS = 40, TURNS = 5000 };

static const int refused[] = {
    SYS_pwritev,  SYS_fallocate, SYS_ftruncate,  SYS_openat, SYS_fstat,         SYS_newfstatat,        SYS_prlimit64,
    SYS_getpid,   SYS_gettid,    SYS_fcntl,      SYS_close,  SYS_readlinkat,    SYS_sched_getaffinity, SYS_mkdirat,
    SYS_pwrite64, SYS_lseek,     SYS_getsockname, SYS_writev, SYS_getpeername, SYS_msync,
};
enum { REFUSED = sizeof refused / sizeof *refused };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int memory[1 << 16];

static void *work(void *arg) {
    for (int turn = 0; turn < TURNS; turn++) {
        pthread_mutex_lock(&mutex);
        memory[turn * 97 % (1 << 16)]++;
        pthread_mutex_unlock(&mutex);
    }
    return arg;
}

static int threads(void) {
    pthread_t threads[THREADS];
    int failed = 0;
    for (int i = 0; i < THREADS; i += 4) {
        for (int j = i; j < i + 4; j++)
            failed |= pthread_create(&threads[j], 0, work, 0);
        for (int j = i; j < i + 4; j++)
            failed |= pthread_join(threads[j], 0);
    }
    return failed;
}

static long refuse(unsigned action, int all) {
    struct sock_filter filter[REFUSED + 3];
    struct sock_fprog program = {REFUSED + 3, filter};
    struct sock_filter load = BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    filter[0] = load;
    for (int i = 0; i < REFUSED; i++) {
        struct sock_filter test = BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, refused[i], REFUSED - i, 0);
        filter[i + 1] = test;
    }
    struct sock_filter allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW), other = BPF_STMT(BPF_RET | BPF_K, action);
    filter[REFUSED + 1] = allow;
    filter[REFUSED + 2] = other;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return -1;
    if (all)
        return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
}

int main(int count, char **args) {
    if (strcmp(args[2], "late") == 0 && threads() != 0)
        return 1;
    unsigned action = strcmp(args[1], "kill") == 0 ? SECCOMP_RET_KILL_PROCESS : SECCOMP_RET_ERRNO | EPERM;
    if (refuse(action, count > 3) != 0)
        return 2;
    if (threads() != 0)
        return 3;
    // The filter is in force.
    return action != SECCOMP_RET_KILL_PROCESS && (syscall(SYS_getpid) != -1 || errno != EPERM) ? 4 : 0;
}
