// Semaphores and a barrier in shared memory, used by threads of two processes.
#include "nasty.h"

struct meeting {
    sem_t sent, got;
    pthread_barrier_t barrier;
};
static struct meeting *meeting;

static void *meet(void *arg) {
    pthread_barrier_wait(&meeting->barrier);
    return arg;
}

int main(void) {
    events();
    meeting = shared(sizeof *meeting);
    pthread_barrierattr_t kind;
    pthread_barrierattr_init(&kind);
    pthread_barrierattr_setpshared(&kind, PTHREAD_PROCESS_SHARED);
    pthread_barrier_init(&meeting->barrier, &kind, 4);
    sem_init(&meeting->sent, 1, 0);
    sem_init(&meeting->got, 1, 0);
    pid_t child = fork();
    for (int i = 0; i < 100; i++) {
        sem_post(child ? &meeting->sent : &meeting->got);
        while (sem_wait(child ? &meeting->got : &meeting->sent) != 0)
            MUST(errno == EINTR);
    }
    pthread_t other = start(meet, 0);
    meet(0);
    pthread_join(other, 0);
    if (child == 0)
        _exit(6);
    MUST(end_of(child) == 6);
    say("four met");
}
