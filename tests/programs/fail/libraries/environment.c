#include "../../program.h"
// One thread changes the environment while another looks at it.
NOBODY_CARES(a) {
    setenv("EXAMPLE", "1", 1); // expect: race with line 9
    return unused;
}
NOBODY_CARES(b) {
    let_others_run();
    return getenv("EXAMPLE") == NULL ? unused : NULL;
}
int main(void) { run2(a, b); return 0; }
