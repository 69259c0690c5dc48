// Parent and child hand a turn to each other under a lock and a condition in shared memory.
#include "nasty.h"

struct turn {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    int next, made;
};

static void play(struct turn *turn, int who) {
    for (int round = 0; round < 200; round++) {
        pthread_mutex_lock(&turn->mutex);
        while (turn->next != who)
            pthread_cond_wait(&turn->changed, &turn->mutex);
        turn->next = !who;
        turn->made++;
        pthread_cond_signal(&turn->changed);
        pthread_mutex_unlock(&turn->mutex);
    }
}

int main(void) {
    events();
    struct turn *turn = shared(sizeof *turn);
    pthread_mutexattr_t of_mutex;
    pthread_condattr_t of_condition;
    pthread_mutexattr_init(&of_mutex);
    pthread_mutexattr_setpshared(&of_mutex, PTHREAD_PROCESS_SHARED);
    pthread_condattr_init(&of_condition);
    pthread_condattr_setpshared(&of_condition, PTHREAD_PROCESS_SHARED);
    pthread_mutex_init(&turn->mutex, &of_mutex);
    pthread_cond_init(&turn->changed, &of_condition);
    pid_t child = fork();
    play(turn, child == 0);
    if (child == 0)
        _exit(5);
    MUST(end_of(child) == 5 && turn->made == 400);
    say("four hundred turns");
}
