#include "../../program.h"
#include <sys/select.h>
static int ends[2];
static int data;
NOBODY_CARES(a) {
    data = 1;
    return write(ends[1], "x", 1) == 1 ? unused : NULL;
}
NOBODY_CARES(b) {
    fd_set set;
    FD_ZERO(&set);
    FD_SET(ends[0], &set);
    char text;
    if (select(ends[0] + 1, &set, NULL, NULL, NULL) == 1 && read(ends[0], &text, 1) == 1)
        data++;
    return unused;
}
int main(void) {
    if (pipe(ends))
        return 1;
    run2(a, b);
    return 0;
}
