#include "../../program.h"
static pthread_mutex_t m[3];
static void both(int x, int y) {
    L(m[x < y ? x : y]);
    L(m[x < y ? y : x]);
    U(m[x]);
    U(m[y]);
}
NOBODY_CARES(a) {
    both(0, 1);
    both(2, 0);
    return unused;
}
NOBODY_CARES(b) {
    both(1, 0);
    both(1, 2);
    return unused;
}
int main(void) {
    for (int i = 0; i < 3; i++)
        pthread_mutex_init(&m[i], NULL);
    run2(a, b);
    return 0;
}
