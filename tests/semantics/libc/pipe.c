// ways: gcc clang tsan
// flags: -fno-builtin
// show: copy data
// A pipe orders its writer before its reader; a new pipe with the same numbers is another channel.
// t0: start; fork t1; acquire h; write copy[0..5]; acquire h; join t1; release h; fork t2; acquire h2
// t0: write copy[0..5]; acquire h2; join t2; release h2; exit 0
// t1: start; read data[0..5]; release h; release h; end
// t2: start; read data[0..5]; release h2; release h2; end
#include <pthread.h>
#include <unistd.h>
char data[8], copy[8];
static void *work(void *ends) {
    int out = ((int *)ends)[1];
    if (write(out, data, 5) != 5) _exit(1);
    close(out);
    return 0;
}
static void transfer(void) {
    int ends[2];
    pthread_t thread;
    if (pipe(ends)) _exit(1);
    pthread_create(&thread, 0, work, ends);
    if (read(ends[0], copy, sizeof copy) != 5) _exit(1);
    if (read(ends[0], copy, sizeof copy) != 0) _exit(1);
    pthread_join(thread, 0);
    close(ends[0]);
}
int main(void) {
    transfer();
    transfer();
    return 0;
}
