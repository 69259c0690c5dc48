// Programs started beside this one: by posix_spawn, system and popen.
// t0: start; fork t1; join t1; release p; acquire p; acquire h; release h; lock m; unlock m; exit 0
// t1: start; end
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

extern char **environ;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *arg) { return arg; }

int main(void) {
    pthread_t thread;
    pid_t child;
    int status;
    char word[16];
    char *args[] = {"sh", "-c", "exit 3", 0};
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    if (posix_spawn(&child, "/bin/sh", 0, 0, args, environ) != 0)
        return 1;
    waitpid(child, &status, 0);
    if (WEXITSTATUS(status) != 3)
        return 2;
    if (WEXITSTATUS(system("exit 4")) != 4)
        return 3;
    FILE *stream = popen("echo word", "r");
    if (!stream || fscanf(stream, "%15s", word) != 1)
        return 4;
    pclose(stream);
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    return 0;
}
