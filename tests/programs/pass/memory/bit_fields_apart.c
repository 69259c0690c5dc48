#include "../../program.h"
// A field of width zero makes two locations of them.
static struct { unsigned char a : 3; unsigned char : 0; unsigned char b : 5; } s;
NOBODY_CARES(a) {
    s.a = 1;
    return unused;
}
NOBODY_CARES(b) {
    s.b = 2;
    return unused;
}
int main(void) { run2(a, b); return 0; }
