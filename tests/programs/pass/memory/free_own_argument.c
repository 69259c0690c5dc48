#include "../../program.h"
// Each thread frees what it was given; the allocator hands the block to the next.
NOBODY_CARES(worker) {
    int *mine = unused;
    mine[1] = mine[0];
    free(mine);
    return NULL;
}
int main(void) {
    for (int i = 0; i < 4; i++) {
        pthread_t thread;
        int *given = malloc(2 * sizeof *given);
        given[0] = i;
        pthread_create(&thread, NULL, worker, given);
        pthread_join(thread, NULL);
    }
    return 0;
}
