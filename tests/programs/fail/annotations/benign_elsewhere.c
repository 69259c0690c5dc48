#include "../../program.h"
#include "../../annotations.h"
// Races on the first counter are declared harmless, on its neighbour they are not.
static struct {
    int hits;
    double money;
} all;
NOBODY_CARES(counts) {
    all.hits++;
    all.money++; // expect: race with line 10
    return unused;
}
int main(void) {
    AnnotateBenignRaceSized(__FILE__, __LINE__, &all.hits, sizeof all.hits, "statistics");
    run2(counts, counts);
    return all.hits + all.money == 0;
}
