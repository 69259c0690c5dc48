#include "../../program.h"
// A thread is joined without waiting for it: it has ended long ago, in this run.
MUTEX(m);
static int count;
NOBODY_CARES(brief) {
    L(m);
    U(m);
    return unused;
}
NOBODY_CARES(careless) {
    count++; // expect: race with line 11
    return unused;
}
int main(void) {
    pthread_t thread;
    L(m);
    pthread_create(&thread, NULL, brief, NULL);
    if (pthread_tryjoin_np(thread, NULL) == 0)
        abort();
    U(m);
    usleep(30000);
    if (pthread_tryjoin_np(thread, NULL) != 0) {
        L(m);
        U(m);
        pthread_join(thread, NULL);
    }
    run2(careless, careless);
    return 0;
}
// fails whenever: nothing
