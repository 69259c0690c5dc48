#include "../../program.h"
// A race before the first join: main writes while the thread may still run.
static int value;
NOBODY_CARES(a) {
    value++; // expect: race with line 12
    return unused;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, a, NULL);
    let_others_run();
    value = 2;
    pthread_join(t, NULL);
    return 0;
}
// fails whenever: nothing
