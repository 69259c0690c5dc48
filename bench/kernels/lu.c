// Dense LU factorisation in place, by blocks, without pivoting: every thread owns columns of blocks, and barriers
// separate the steps. Long segments, regular accesses, few synchronisations.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 1024, B = 16, BLOCKS = N / B, THREADS = 4 };

static double *matrix;
static pthread_barrier_t barrier;

static double *at(int row, int column) { return &matrix[(size_t)row * N + column]; }

static void factor_diagonal(int k) {
    for (int p = k; p < k + B; p++)
        for (int i = p + 1; i < k + B; i++) {
            *at(i, p) /= *at(p, p);
            for (int j = p + 1; j < k + B; j++) *at(i, j) -= *at(i, p) * *at(p, j);
        }
}

static void solve_row_block(int k, int column) {
    for (int p = k; p < k + B; p++)
        for (int i = p + 1; i < k + B; i++)
            for (int j = column; j < column + B; j++) *at(i, j) -= *at(i, p) * *at(p, j);
}

static void solve_column_block(int k, int row) {
    for (int p = k; p < k + B; p++)
        for (int i = row; i < row + B; i++) {
            *at(i, p) /= *at(p, p);
            for (int j = p + 1; j < k + B; j++) *at(i, j) -= *at(i, p) * *at(p, j);
        }
}

static void update(int k, int row, int column) {
    for (int i = row; i < row + B; i++)
        for (int p = k; p < k + B; p++) {
            double factor = *at(i, p);
            for (int j = column; j < column + B; j++) *at(i, j) -= factor * *at(p, j);
        }
}

static void *work(void *arg) {
    int self = (int)(long)arg;
    for (int k = 0; k < BLOCKS; k++) {
        if (k % THREADS == self) factor_diagonal(k * B);
        pthread_barrier_wait(&barrier);
        for (int b = k + 1; b < BLOCKS; b++)
            if (b % THREADS == self) {
                solve_row_block(k * B, b * B);
                solve_column_block(k * B, b * B);
            }
        pthread_barrier_wait(&barrier);
        for (int column = k + 1; column < BLOCKS; column++)
            if (column % THREADS == self)
                for (int row = k + 1; row < BLOCKS; row++) update(k * B, row * B, column * B);
        pthread_barrier_wait(&barrier);
    }
    return NULL;
}

int main(void) {
    matrix = malloc(sizeof(double) * N * N);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) *at(i, j) = i == j ? N : (double)((i * 7 + j * 13) % 17) / 17;
    pthread_barrier_init(&barrier, NULL, THREADS);
    pthread_t threads[THREADS];
    for (long i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    double trace = 0;
    for (int i = 0; i < N; i++) trace += *at(i, i);
    printf("%.6f\n", trace);
    free(matrix);
    return 0;
}
