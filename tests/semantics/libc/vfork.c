// ways: gcc clang tsan
// flags: -fno-builtin
// show: copy data ends
// A child of vfork leaves no trace in its parent's recording, nor in what is known of the parent's descriptors.
// t0: start; fork t1; read ends[0..4]; acquire h; write copy; join t1; exit 0
// t1: start; process_fork; release p; acquire p; read data; read ends[4..8]; release h; end
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>
char data[4], copy[4];
int ends[2];
static void *work(void *arg) {
    pid_t child = vfork();
    if (child == 0) {
        dup2(ends[1], 1);
        close(ends[0]);
        _exit(0);
    }
    int status;
    waitpid(child, &status, 0);
    if (write(ends[1], data, 4) != 4) _exit(1);
    return arg;
}
int main(void) {
    pthread_t thread;
    if (pipe(ends)) _exit(1);
    pthread_create(&thread, 0, work, 0);
    if (read(ends[0], copy, 4) != 4) _exit(1);
    pthread_join(thread, 0);
    return 0;
}
