#include "../../program.h"
// A handler of exit reads what a thread that nobody joined may still write.
int state;
static sem_t started;
NOBODY_CARES(a) {
    sem_post(&started);
    state = 1; // expect: race with line 11
    return unused;
}
static void report(void) {
    if (state > 1)
        abort();
}
int main(void) {
    pthread_t t;
    sem_init(&started, 0, 0);
    atexit(report);
    pthread_create(&t, NULL, a, NULL);
    sem_wait(&started);
    let_others_run();
    return 0;
}
