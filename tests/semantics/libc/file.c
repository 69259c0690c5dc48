// ways: gcc clang tsan
// flags: -fno-builtin
// show: copy data
// Regular files and inherited descriptors order nothing; their buffers are accesses all the same. That a file is created is a
// change of its directory.
// t0: start; fork t1; join t1; exit 0
// t1: start; release n; release c; acquire n; read data[0..4]; read data[8..12]; release d; acquire d; write copy[0..6]
// t1: write copy[10..12]; acquire d; write copy[15..16]; end
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/uio.h>
#include <unistd.h>
char data[16], copy[16];
static void *work(void *arg) {
    int fd = open("file", O_RDWR | O_CREAT | O_TRUNC, 0600);
    struct iovec parts[2] = {{data, 4}, {data + 8, 4}}, places[2] = {{copy, 6}, {copy + 10, 6}};
    if (writev(fd, parts, 2) != 8 || lseek(fd, 0, SEEK_SET) != 0 || readv(fd, places, 2) != 8) _exit(1);
    if (pread(fd, copy + 15, 1, 0) != 1 || write(2, data, 0) != 0) _exit(1);
    close(fd);
    return arg;
}
int main(int count, char **arguments) {
    if (count < 2 || chdir(arguments[1])) _exit(1);
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    return 0;
}
