#include "../../program.h"
// The argument of a detached thread goes away with its maker.
NOBODY_CARES(worker) {
    int *mine = unused;
    mine[1] = mine[0]; // expect: race with line 16
    return NULL;
}
int main(void) {
    pthread_t thread;
    int *shared = calloc(2, sizeof *shared);
    if (!shared)
        return 1;
    pthread_create(&thread, NULL, worker, shared);
    pthread_detach(thread);
    usleep(20000);
    free(shared);
    return 0;
}
// fails whenever: nothing
