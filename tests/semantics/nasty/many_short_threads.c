// Twenty thousand threads, one after the other, some detached.
#include "nasty.h"

static sem_t ended;

static void *live(void *arg) {
    pthread_mutex_lock(&nasty_lock);
    nasty_count++;
    pthread_mutex_unlock(&nasty_lock);
    sem_post(&ended);
    return arg;
}

int main(void) {
    sem_init(&ended, 0, 0);
    for (int i = 0; i < 20000; i++) {
        pthread_t thread = start(live, 0);
        while (sem_wait(&ended) != 0)
            MUST(errno == EINTR);
        if (i % 3)
            pthread_join(thread, 0);
        else
            pthread_detach(thread);
    }
    say("lived");
}
