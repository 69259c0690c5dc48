// Goes on as a daemon whose threads lock until the file exists that the last argument names. First argument: "early" if
// it does so before it has threads, "late" if after.
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TURNS = 20000 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static const char *end;

static void *work(void *arg) {
    for (int turn = 0; turn < TURNS; turn++) {
        pthread_mutex_lock(&mutex);
        pthread_mutex_unlock(&mutex);
    }
    return arg;
}

static void threads(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    work(0);
    pthread_join(thread, 0);
}

int main(int count, char **args) {
    int ready[2];
    char byte = 0;
    end = args[count - 1];
    if (strcmp(args[1], "late") == 0)
        threads();
    if (pipe(ready) != 0)
        return 1;
    pid_t child = fork();
    if (child != 0) {
        // The daemon has begun to write.
        close(ready[1]);
        printf("%d\n", (int)child);
        return child < 0 || read(ready[0], &byte, 1) != 1;
    }
    struct stat found;
    alarm(60);
    setsid();
    threads();
    if (write(ready[1], &byte, 1) != 1)
        return 1;
    while (stat(end, &found) != 0)
        usleep(1000);
    threads();
    return 0;
}
