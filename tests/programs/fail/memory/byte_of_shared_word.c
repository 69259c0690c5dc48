#include "../../program.h"
// Two threads read a word; one byte of it is written when only one of them has been joined.
union { int32_t word; char bytes[4]; } u;
int seen[2];
NOBODY_CARES(joined) {
    seen[0] = u.word;
    return unused;
}
NOBODY_CARES(forgotten) {
    seen[1] = u.word; // expect: race with line 19
    return unused;
}
int main(void) {
    pthread_t one, two;
    pthread_create(&one, NULL, joined, NULL);
    pthread_create(&two, NULL, forgotten, NULL);
    pthread_join(one, NULL);
    let_others_run();
    u.bytes[1] = 'x';
    pthread_join(two, NULL);
    return 0;
}
// fails whenever: nothing
