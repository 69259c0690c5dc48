#include "../../program.h"
// The address of the loop's counter is given to every thread, instead of its value.
NOBODY_CARES(a) {
    int mine = *(int *)unused; // expect: race with line 9
    return mine < 0 ? NULL : unused;
}
int main(void) {
    pthread_t t[2];
    for (int i = 0; i < 2; i++) {
        pthread_create(&t[i], NULL, a, &i);
        let_others_run();
    }
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
// fails whenever: nothing
