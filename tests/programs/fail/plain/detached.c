#include "../../program.h"
// A detached thread is never joined: nothing orders it with the end of main.
static int done;
NOBODY_CARES(a) {
    done = 1; // expect: race with line 12
    return unused;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, a, NULL);
    pthread_detach(t);
    for (int i = 0; i < 50 && !*(volatile int *)&done; i++)
        let_others_run();
    return 0;
}
// fails whenever: nothing
