// needs: openmp
#include "../../program.h"
#include <omp.h>
// Loops, reductions, critical sections, barriers, single, tasks: the compiler's library orders them where nobody sees it.
int main(void) {
    int squares[64], sum = 0, entered = 0, counted = 0, chosen = 0;
#pragma omp parallel for num_threads(2)
    for (int i = 0; i < 64; i++)
        squares[i] = i * i;
#pragma omp parallel for reduction(+ : sum) schedule(dynamic, 8) num_threads(2)
    for (int i = 0; i < 64; i++)
        sum += squares[i];
#pragma omp parallel num_threads(2)
    {
#pragma omp critical
        entered++;
#pragma omp barrier
#pragma omp atomic
        counted += entered;
#pragma omp single
        chosen = omp_get_num_threads();
#pragma omp task
        {
#pragma omp atomic
            counted++;
        }
#pragma omp taskwait
    }
    return sum != 85344 || entered != chosen || counted < 1;
}
