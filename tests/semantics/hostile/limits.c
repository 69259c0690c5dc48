// Sets the limit given by its first argument to its second, then makes threads and files as if nothing were.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int memory[1 << 16];

static void *work(void *arg) {
    for (int turn = 0; turn < 200000; turn++) {
        pthread_mutex_lock(&mutex);
        memory[turn * 97 % (1 << 16)]++;
        pthread_mutex_unlock(&mutex);
    }
    return arg;
}

int main(int count, char **args) {
    pthread_t thread;
    struct rlimit limit;
    limit.rlim_cur = limit.rlim_max = strtoul(args[2], 0, 10);
    if (setrlimit(strcmp(args[1], "memory") == 0 ? RLIMIT_AS : RLIMIT_FSIZE, &limit) != 0)
        return 1;
    if (pthread_create(&thread, 0, work, 0) != 0)
        return 2;
    pthread_join(thread, 0);
    return 0;
}
