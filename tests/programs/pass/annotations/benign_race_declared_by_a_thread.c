#include "../../program.h"
#include "../../annotations.h"
// The declaration is made by the threads that race, for a block that they share.
static long *hits;
NOBODY_CARES(counts) {
    AnnotateBenignRace(__FILE__, __LINE__, hits, "statistics");
    ++*hits;
    return unused;
}
int main(void) {
    hits = calloc(1, sizeof *hits);
    run2(counts, counts);
    free(hits);
    return 0;
}
