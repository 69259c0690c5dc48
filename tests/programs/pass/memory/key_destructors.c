#include "../../program.h"
static pthread_key_t key;
static int freed;
MUTEX(m);
static void destroy(void *block) {
    free(block);
    L(m);
    freed++;
    U(m);
}
NOBODY_CARES(a) {
    int *mine = malloc(4);
    *mine = 1;
    pthread_setspecific(key, mine);
    return unused;
}
int main(void) {
    pthread_key_create(&key, destroy);
    run2(a, a);
    L(m);
    int seen = freed;
    U(m);
    return seen != 2;
}
