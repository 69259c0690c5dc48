#include "../../program.h"
// A bounded queue of two hundred heap blocks, three workers (pfscan).
static int *queue[8], count, in, out, closed;
MUTEX(m);
COND(more);
COND(less);
NOBODY_CARES(worker) {
    for (;;) {
        L(m);
        while (!count && !closed)
            pthread_cond_wait(&more, &m);
        if (!count)
            break;
        int *block = queue[out];
        out = (out + 1) % 8;
        count--;
        pthread_cond_signal(&less);
        U(m);
        ++*block;
        free(block);
    }
    U(m);
    return unused;
}
int main(void) {
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int i = 0; i < 200; i++) {
        int *block = malloc(sizeof *block);
        *block = i;
        L(m);
        while (count == 8)
            pthread_cond_wait(&less, &m);
        queue[in] = block;
        in = (in + 1) % 8;
        count++;
        pthread_cond_signal(&more);
        U(m);
    }
    L(m);
    closed = 1;
    pthread_cond_broadcast(&more);
    U(m);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return 0;
}
