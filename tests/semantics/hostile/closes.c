// flags: -D_GNU_SOURCE
// Closes every descriptor it knows and ones it does not, opens files of its own in their place, and goes on.
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

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
    char path[4096];
    pthread_create(&thread, 0, work, 0);
    closefrom(3);
    snprintf(path, sizeof path, "%s/own", args[1]);
    int own = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    for (int i = 200; i < 1100; i++)
        dup2(own, i);
    pthread_join(thread, 0);
    // Nobody else has written to it.
    return lseek(own, 0, SEEK_END) != 0;
}
