#include "../../program.h"
#include <assert.h>
// The second thread takes it for granted that nobody holds the lock.
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
NOBODY_CARES(holder) {
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    return unused;
}
NOBODY_CARES(trier) {
    usleep(20000);
    int busy = pthread_mutex_trylock(&m);
    assert(!busy); // expect: crash
    pthread_mutex_unlock(&m);
    return unused;
}
int main(void) { run2(holder, trier); return 0; }
