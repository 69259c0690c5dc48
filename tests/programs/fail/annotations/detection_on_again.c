#include "../../program.h"
#include "../../annotations.h"
// Detection is off for the first two threads and on again for the others.
static int warmth, money;
NOBODY_CARES(warms) {
    warmth++;
    return unused;
}
NOBODY_CARES(pays) {
    money++; // expect: race with line 10
    return unused;
}
int main(void) {
    AnnotateEnableRaceDetection(__FILE__, __LINE__, 0);
    run2(warms, warms);
    AnnotateEnableRaceDetection(__FILE__, __LINE__, 1);
    run2(pays, pays);
    return money + warmth == 0;
}
