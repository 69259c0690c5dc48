// The library that unloaded.c loads.
#include "nasty.h"

static int sum;

void bump(int by) {
    pthread_mutex_lock(&nasty_lock);
    sum += by;
    pthread_mutex_unlock(&nasty_lock);
}

int total(void) {
    return sum;
}
