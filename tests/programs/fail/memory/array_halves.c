#include "../../program.h"
// The halves overlap by one element.
static int array[20];
NOBODY_CARES(a) {
    for (int i = 0; i <= 10; i++)
        array[i]++; // expect: race with line 12
    return unused;
}
NOBODY_CARES(b) {
    let_others_run();
    for (int i = 10; i < 20; i++)
        array[i]++;
    return unused;
}
int main(void) { run2(a, b); return 0; }
// fails whenever: nothing
