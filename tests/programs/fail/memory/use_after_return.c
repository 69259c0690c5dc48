#include "../../program.h"
// A thread keeps a pointer to a variable that main goes on using.
NOBODY_CARES(a) {
    *(int *)unused += 1; // expect: race with line 11
    return NULL;
}
int main(void) {
    int local = 0;
    pthread_t t;
    pthread_create(&t, NULL, a, &local);
    local++;
    pthread_join(t, NULL);
    return local == 0;
}
