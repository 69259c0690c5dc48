#include "../../program.h"
struct __attribute__((packed)) packet { char kind; int value; char rest[11]; };
struct packet p;
NOBODY_CARES(a) {
    p.value = 1; // expect: race with line 10
    return unused;
}
NOBODY_CARES(b) {
    let_others_run();
    ((volatile char *)&p)[4] = 2;
    return unused;
}
int main(void) { run2(a, b); return 0; }
// fails whenever: nothing
