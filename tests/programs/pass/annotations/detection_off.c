#include "../../program.h"
#include "../../annotations.h"
// The program wants no races reported while it warms up.
static int warmth;
NOBODY_CARES(warms) {
    warmth++;
    return unused;
}
int main(void) {
    AnnotateEnableRaceDetection(__FILE__, __LINE__, 0);
    run2(warms, warms);
    AnnotateEnableRaceDetection(__FILE__, __LINE__, 1);
    return warmth == 0;
}
