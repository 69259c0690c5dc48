// Quicksort with two threads: each sorts one part of an array, and counts what it has done under a lock.
#include <pthread.h>
#include <stdlib.h>

#define SIZE 200

int numbers[SIZE];
int sorted;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

struct part {
    int from, to;
} parts[2];

static void sort(int from, int to) {
    if (to - from < 2)
        return;
    int pivot = numbers[from], at = from;
    for (int i = from + 1; i < to; i++)
        if (numbers[i] < pivot) {
            int other = numbers[i];
            numbers[i] = numbers[++at];
            numbers[at] = other;
        }
    numbers[from] = numbers[at];
    numbers[at] = pivot;
    sort(from, at);
    sort(at + 1, to);
}

static void *work(void *argument) {
    struct part *part = argument;
    for (int half = 0; half < 2; half++) {
        int middle = (part->from + part->to) / 2;
        int from = half ? middle : part->from, to = half ? part->to : middle;
        sort(from, to);
        pthread_mutex_lock(&lock);
        sorted += to - from;
        pthread_mutex_unlock(&lock);
    }
    return 0;
}

int main(void) {
    pthread_t threads[2];
    unsigned seed = 7;
    for (int i = 0; i < SIZE; i++)
        numbers[i] = (int)((seed = seed * 1103515245 + 12345) >> 16) % 1000;
    for (int i = 0; i < 2; i++) {
        parts[i].from = i * SIZE / 2;
        parts[i].to = (i + 1) * SIZE / 2;
        pthread_create(&threads[i], 0, work, &parts[i]);
    }
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], 0);
    return sorted != SIZE;
}
