#include "../../program.h"
// The worker waits until the file is open. The signal is given without a mutex, and is lost if the worker does not wait yet.
static int file;
MUTEX(m);
COND(opened);
NOBODY_CARES(worker) {
    L(m);
    pthread_cond_wait(&opened, &m); // expect: deadlock
    U(m);
    return file == 1 ? unused : NULL; // expect: wait-not-in-loop
}
NOBODY_CARES(opener) {
    let_others_run();
    file = 1;
    pthread_cond_signal(&opened);
    return unused;
}
int main(void) { run2(worker, opener); return 0; }
// fails whenever: 15 before 8
