// ways: gcc clang tsan
// flags: -fno-builtin
// show: copy data in out
// Copies of a descriptor share its channel; a file that takes over a number has none.
// t0: start; fork t1; read in; acquire h; write copy; join t1; read data; release h
// t0: acquire d; read in; release h; read data
// t0: read in; write copy; exit 0
// t1: start; read data; read out; release h; end
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>
char data[1], copy[1];
int in, out;
static void *work(void *arg) {
    if (write(out, data, 1) != 1) _exit(1);
    return arg;
}
int main(void) {
    int ends[2];
    pthread_t thread;
    if (pipe(ends)) _exit(1);
    in = fcntl(ends[0], F_DUPFD, 20);
    out = dup(ends[1]);
    dup2(ends[1], 30);
    close(ends[0]), close(ends[1]);
    pthread_create(&thread, 0, work, 0);
    if (read(in, copy, 1) != 1) _exit(1);
    pthread_join(thread, 0);
    if (write(30, data, 1) != 1) _exit(1);
    int file = open("/dev/zero", O_RDWR);
    if (dup2(file, in) != in || read(in, copy, 1) != 1 || write(in, data, 1) != 1) _exit(1);
    return 0;
}
