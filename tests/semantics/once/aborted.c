// flags: -fexceptions
// A thread is cancelled while it runs an initialiser, and one ends in it: the next runs it again.
// t0: start; sem_init s 0; fork t1; sem_wait s; join t1; fork t2; sem_wait s; join t2; fork t3; sem_wait s; join t3
// t0: fork t4; join t4; exit 0
// t1: start; once_run o; sem_post s; once_abort o; end
// t2: start; once_run o; sem_post s; once_abort o; end
// t3: start; once_run o; sem_post s; once_done o; end
// t4: start; once_pass o; end
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static sem_t inside;
static int attempt;

static void initialise(void) {
    attempt++;
    sem_post(&inside);
    if (attempt == 1)
        pause();
    if (attempt == 2)
        pthread_exit(0);
}

static void *work(void *arg) {
    pthread_once(&once, initialise);
    return arg;
}

int main(void) {
    sem_init(&inside, 0, 0);
    for (int i = 0; i < 4; i++) {
        pthread_t thread;
        pthread_create(&thread, 0, work, 0);
        if (i < 3)
            sem_wait(&inside);
        if (i == 0)
            pthread_cancel(thread);
        pthread_join(thread, 0);
    }
    return attempt != 3;
}
