// exit: 5
// A process that becomes another program: its recording ends there, and the new program does not touch it.
// t0: start; fork t1; join t1; lock m
// t1: start; end
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *arg) { return arg; }

int main(int count, char **args) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    if (strcmp(args[1], "again") == 0)
        exit(5);
    pthread_mutex_lock(&mutex);
    execl("/proc/self/exe", args[0], "again", (char *)0);
    return 1;
}
