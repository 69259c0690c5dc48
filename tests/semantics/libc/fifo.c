// ways: gcc clang tsan
// flags: -fno-builtin
// show: copy data
// A named pipe is one channel whatever it was opened by; a regular file opened the same way is none.
// t0: start; fork t1; acquire n; acquire h; write copy; join t1; release h; exit 0
// t1: start; acquire n; read data; release h; release h; end
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>
char data[4], copy[4];
static void *work(void *arg) {
    int out = open("fifo", O_WRONLY);
    if (write(out, data, 4) != 4) _exit(1);
    close(out);
    return arg;
}
int main(int count, char **arguments) {
    if (count < 2 || chdir(arguments[1])) _exit(1);
    pthread_t thread;
    unlink("fifo");
    if (mkfifo("fifo", 0600)) _exit(1);
    pthread_create(&thread, 0, work, 0);
    int in = open("fifo", O_RDONLY);
    if (read(in, copy, 4) != 4) _exit(1);
    pthread_join(thread, 0);
    close(in);
    return 0;
}
