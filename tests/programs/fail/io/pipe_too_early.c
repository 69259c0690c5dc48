#include "../../program.h"
static int data, ends[2];
NOBODY_CARES(a) {
    if (write(ends[1], "x", 1) != 1)
        abort();
    data = 5; // expect: race with line 14
    return unused;
}
NOBODY_CARES(b) {
    char byte;
    if (read(ends[0], &byte, 1) != 1)
        abort();
    let_others_run();
    data++;
    return unused;
}
int main(void) {
    if (pipe(ends))
        return 1;
    run2(a, b);
    return 0;
}
// fails whenever: nothing
