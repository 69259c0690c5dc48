#include "../../program.h"
// Both write their message into the same buffer.
static char text[64];
extern int __xpg_strerror_r(int error, char *buffer, size_t size);
NOBODY_CARES(a) {
    __xpg_strerror_r(ENOENT, text, sizeof text); // expect: race with line 11
    return unused;
}
NOBODY_CARES(b) {
    let_others_run();
    __xpg_strerror_r(EPERM, text, sizeof text);
    return unused;
}
int main(void) { run2(a, b); return 0; }
// fails whenever: nothing
