#include "../../program.h"
// A byte through a pipe orders what is before with what is after.
static int data, ends[2];
NOBODY_CARES(a) {
    data = 5;
    return write(ends[1], "x", 1) == 1 ? unused : NULL;
}
NOBODY_CARES(b) {
    char byte;
    if (read(ends[0], &byte, 1) != 1)
        abort();
    return data == 5 ? unused : NULL;
}
int main(void) {
    if (pipe(ends))
        return 1;
    run2(a, b);
    return 0;
}
