#include "../../program.h"
// It ends with a code of its own, which depends on who comes first; that is no error.
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int busy;
NOBODY_CARES(holder) {
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    return unused;
}
NOBODY_CARES(trier) {
    usleep(20000);
    busy = pthread_mutex_trylock(&m);
    if (!busy)
        pthread_mutex_unlock(&m);
    return unused;
}
int main(void) { run2(holder, trier); return busy ? 3 : 4; }
