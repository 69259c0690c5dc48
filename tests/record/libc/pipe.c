// A pipe orders its writer before its reader; a new pipe with the same numbers is another channel.
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
