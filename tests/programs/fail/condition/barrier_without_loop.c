#include "../../program.h"
// A barrier by hand whose wait is not in a loop. One finding, at the wait, for all that follows from it.
enum { THREADS = 3 };
static int arrived, cells[THREADS];
MUTEX(m);
COND(all_here);
static void barrier(void) {
    L(m);
    if (++arrived == THREADS)
        pthread_cond_broadcast(&all_here);
    else
        pthread_cond_wait(&all_here, &m); // expect: wait-not-in-loop
    U(m);
}
static void *phase(void *number) {
    int i = (int)(intptr_t)number, sum = 0;
    cells[i] = i + 1;
    barrier();
    for (int k = 0; k < THREADS; k++)
        sum += cells[k];
    return sum == 6 ? NULL : number;
}
int main(void) {
    pthread_t threads[THREADS];
    for (intptr_t i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, phase, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
