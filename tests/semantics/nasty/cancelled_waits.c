// Threads are cancelled in every kind of wait, and leave what they should.
#include "nasty.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static sem_t empty;
static int pipes[2];
static int cleaned;

static void leave(void *arg) {
    (void)arg;
    cleaned++;
    pthread_mutex_unlock(&mutex);
}

static void *forever(void *arg) {
    for (;;)
        pause();
    return arg;
}

static void *wait_somewhere(void *arg) {
    char byte;
    switch ((intptr_t)arg) {
    case 0:
        pthread_mutex_lock(&mutex);
        pthread_cleanup_push(leave, 0);
        for (;;)
            pthread_cond_wait(&never, &mutex);
        pthread_cleanup_pop(0);
    case 1:
        sem_wait(&empty);
        break;
    case 2:
        if (read(pipes[0], &byte, 1) != 1)
            return 0;
        break;
    case 3:
        sleep(1000);
        break;
    case 4: {
        pthread_t other = start(forever, 0);
        pthread_join(other, 0);
        break;
    }
    default:
        forever(0);
    }
    return 0;
}

int main(void) {
    events();
    sem_init(&empty, 0, 0);
    MUST(pipe(pipes) == 0);
    for (intptr_t kind = 0; kind < 6; kind++) {
        for (int turn = 0; turn < 3; turn++) {
            pthread_t thread = start(wait_somewhere, (void *)kind);
            if (turn)
                usleep(turn * 3000);
            void *result = 0;
            pthread_cancel(thread);
            pthread_join(thread, &result);
            MUST(result == PTHREAD_CANCELED);
        }
    }
    pthread_mutex_lock(&mutex);
    MUST(cleaned <= 3);
    pthread_mutex_unlock(&mutex);
    say("eighteen cancelled");
}
