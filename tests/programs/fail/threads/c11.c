#include "../../program.h"
#include <threads.h>
static int count;
static int a(void *unused) {
    (void)unused;
    count++; // expect: race
    return 0;
}
int main(void) {
    thrd_t one, two;
    thrd_create(&one, a, NULL);
    thrd_create(&two, a, NULL);
    thrd_join(one, NULL);
    thrd_join(two, NULL);
    return count == 0;
}
// fails whenever: nothing
