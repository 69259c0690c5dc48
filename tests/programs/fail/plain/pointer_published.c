#include "../../program.h"
// A plain store publishes a block that its maker goes on to change. Who sees the pointer races for what it points to.
static struct block { int value; } *published;
static struct block block;
NOBODY_CARES(maker) {
    published = &block; // expect: race with line 11
    block.value = 2; // expect: race with line 13
    return unused;
}
NOBODY_CARES(user) {
    struct block *seen = *(struct block *volatile *)&published;
    if (seen)
        seen->value += 3;
    return unused;
}
int main(void) { run2(maker, user); return 0; }
