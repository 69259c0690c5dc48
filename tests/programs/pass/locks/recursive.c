#include "../../program.h"
static int count;
static pthread_mutex_t m;
static void inner(void) {
    L(m);
    count++;
    U(m);
}
NOBODY_CARES(a) {
    L(m);
    inner();
    count++;
    U(m);
    return unused;
}
int main(void) {
    pthread_mutexattr_t attr;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&m, &attr);
    run2(a, a);
    return count != 4;
}
