// Regular files and inherited descriptors order nothing; their buffers are accesses all the same.
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
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    return 0;
}
