#include "../../program.h"
char name[32];
size_t length;
NOBODY_CARES(a) {
    strcpy(name, getenv("HOME") ? "somebody" : "nobody"); // expect: race with line 9
    return unused;
}
NOBODY_CARES(b) {
    let_others_run(); length = strlen(name);
    return unused;
}
int main(void) { run2(a, b); return 0; }
// fails whenever: nothing
