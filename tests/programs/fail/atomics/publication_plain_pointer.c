#include "../../program.h"
// An object is published through a plain pointer.
struct config { int width; };
struct config *config;
NOBODY_CARES(a) {
    struct config *fresh = malloc(sizeof *fresh); // may: race with line 14
    fresh->width = 80; // may: race with line 14
    config = fresh; // expect: race with line 13
    return unused;
}
NOBODY_CARES(b) {
    let_others_run();
    struct config *seen = config;
    return seen && seen->width != 80 ? NULL : unused;
}
int main(void) { run2(a, b); return 0; }
