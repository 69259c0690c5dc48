#include "../../program.h"
// Locking again is an error code here, not a deadlock.
static int count;
static pthread_mutex_t m = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
NOBODY_CARES(a) {
    L(m);
    if (pthread_mutex_lock(&m) != EDEADLK)
        abort();
    count++;
    U(m);
    return unused;
}
int main(void) { run2(a, a); return count != 2; }
