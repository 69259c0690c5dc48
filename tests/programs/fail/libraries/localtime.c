#include "../../program.h"
// The result of localtime is one for the whole process: the second call overwrites what the first returned.
NOBODY_CARES(a) {
    time_t now = 0;
    struct tm *tm = localtime(&now); // expect: race with line 12
    if (tm->tm_year != 70) puts("overwritten"); // may: race with line 12
    return unused;
}
NOBODY_CARES(b) {
    let_others_run();
    time_t later = 1000000000;
    return localtime(&later) == NULL ? unused : NULL;
}
int main(void) { run2(a, b); return 0; }
// fails whenever: nothing
