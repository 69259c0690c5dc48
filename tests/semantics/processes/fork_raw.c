// flags: -D_GNU_SOURCE
// Forks that run no handlers.
// t0: start; fork t1; join t1; process_fork; release p; acquire p; lock m; unlock m; exit 0
// t1: start; end
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *arg) { return arg; }

int main(void) {
    pthread_t thread;
    int status;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    pid_t child = _Fork();
    if (child == 0) {
        pthread_mutex_lock(&mutex);
        exit(3);
    }
    waitpid(child, &status, 0);
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    return WEXITSTATUS(status) != 3;
}
