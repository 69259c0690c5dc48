#include "../../program.h"
// If the lock is taken, it tries again by calling itself.
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static volatile int depth;
static int again(int n) {
    char room[4096];
    memset(room, n, sizeof room); // may: crash
    depth = n; // may: crash
    return again(n + 1) + room[n % 4096]; // may: crash
}
NOBODY_CARES(holder) {
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    return unused;
}
NOBODY_CARES(trier) {
    usleep(20000);
    if (pthread_mutex_trylock(&m) != 0)
        again(0); // expect: crash
    else
        pthread_mutex_unlock(&m);
    return unused;
}
int main(void) { run2(holder, trier); return 0; }
