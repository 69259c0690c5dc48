// A process forks while threads run: the child leaves no records, whatever it does.
// t0: start; sem_init s 0; fork t1; lock m; process_fork; release p; unlock m; acquire p; sem_post s; join t1; exit 0
// t1: start; sem_wait s; end
#include <pthread.h>
#include <semaphore.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static sem_t go;

static void *work(void *arg) {
    sem_wait(&go);
    return arg;
}

int main(void) {
    pthread_t thread;
    int status;
    sem_init(&go, 0, 0);
    pthread_create(&thread, 0, work, 0);
    pthread_mutex_lock(&mutex);
    pid_t child = fork();
    if (child == 0) {
        pthread_t own;
        pthread_mutex_unlock(&mutex);
        sem_post(&go);
        pthread_create(&own, 0, work, 0);
        pthread_join(own, 0);
        _exit(3);
    }
    pthread_mutex_unlock(&mutex);
    waitpid(child, &status, 0);
    sem_post(&go);
    pthread_join(thread, 0);
    return WEXITSTATUS(status) != 3;
}
