// A thread forks; the child ends at once.
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

static atomic_int shared;

static void *work(void *unused) {
    pid_t child = fork();
    if (child == 0)
        _exit(0);
    waitpid(child, NULL, 0);
    atomic_store(&shared, 1);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    (void)atomic_load(&shared);
    pthread_join(thread, NULL);
    return 0;
}
