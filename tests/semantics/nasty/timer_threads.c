// A timer whose notifications are threads that libc makes.
#include "nasty.h"

static sem_t ticked;

static void tick(union sigval value) {
    (void)value;
    pthread_mutex_lock(&nasty_lock);
    nasty_count++;
    pthread_mutex_unlock(&nasty_lock);
    sem_post(&ticked);
}

int main(void) {
    events();
    sem_init(&ticked, 0, 0);
    struct sigevent how = { .sigev_notify = SIGEV_THREAD };
    how.sigev_notify_function = tick;
    timer_t timer;
    MUST(timer_create(CLOCK_MONOTONIC, &how, &timer) == 0);
    struct itimerspec often = { { 0, 2000000 }, { 0, 2000000 } };
    timer_settime(timer, 0, &often, 0);
    for (int i = 0; i < 10; i++)
        while (sem_wait(&ticked) != 0)
            MUST(errno == EINTR);
    timer_delete(timer);
    dprintf(1, "ten ticks\n");
    _exit(0);
}
