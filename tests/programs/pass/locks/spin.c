#include "../../program.h"
static int count;
static pthread_spinlock_t s;
NOBODY_CARES(a) {
    pthread_spin_lock(&s);
    count++;
    pthread_spin_unlock(&s);
    return unused;
}
int main(void) {
    pthread_spin_init(&s, 0);
    run2(a, a);
    return count != 2;
}
