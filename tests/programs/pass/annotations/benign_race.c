#include "../../program.h"
#include "../../annotations.h"
// A counter of hits that need not be exact, declared so by its author.
static long hits;
NOBODY_CARES(counts) {
    for (int i = 0; i < 3; i++)
        hits++;
    return unused;
}
int main(void) {
    AnnotateBenignRaceSized(__FILE__, __LINE__, &hits, sizeof hits, "statistics");
    run2(counts, counts);
    return hits == 0;
}
