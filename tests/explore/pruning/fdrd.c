// Figure 1 of Wang and others (ATVA'08), and with ROUNDS more of its critical sections: y is accessed under different locks,
// but only if the second thread reads x before the first has changed it.
#include <pthread.h>

#ifndef ROUNDS
#define ROUNDS 1
#endif

int x, y, z;
pthread_mutex_t f1 = PTHREAD_MUTEX_INITIALIZER, f2 = PTHREAD_MUTEX_INITIALIZER;

static void *first(void *none) {
    pthread_mutex_lock(&f1);
    x++;
    pthread_mutex_unlock(&f1);
    pthread_mutex_lock(&f2);
    y++;
    pthread_mutex_unlock(&f2);
    for (int round = 0; round < ROUNDS; round++) {
        pthread_mutex_lock(&f1);
        z++;
        pthread_mutex_unlock(&f1);
    }
    return none;
}

static void *second(void *none) {
    int c = 1;
    for (int round = 0; round < ROUNDS; round++) {
        pthread_mutex_lock(&f1);
        z++;
        pthread_mutex_unlock(&f1);
    }
    pthread_mutex_lock(&f1);
    c = x;
    pthread_mutex_unlock(&f1);
    pthread_mutex_lock(&f1);
    if (c == 0) {
#ifdef FIXED
        z++;
#else
        y++;
#endif
    }
    pthread_mutex_unlock(&f1);
    return none;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
