// main returns while detached threads lock and make threads.
#include "nasty.h"

static void *work(void *arg) {
    for (int turn = 0; turn < 100000; turn++) {
        pthread_mutex_lock(&nasty_lock);
        pthread_mutex_unlock(&nasty_lock);
    }
    return arg;
}

int main(void) {
    events();
    for (int i = 0; i < 4; i++)
        pthread_detach(start(work, 0));
    say("leaving");
    return 11;
}
