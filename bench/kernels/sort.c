// Quicksort by four threads that take ranges from one locked queue. Segments of all lengths, irregular branches.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 3000000, THREADS = 4, SMALL = 2000, QUEUE = 1 << 16 };

struct range {
    int from, to;
};

static unsigned *numbers;
static struct range queue[QUEUE];
static int queued, unsorted = N;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void swap(int i, int j) {
    unsigned t = numbers[i];
    numbers[i] = numbers[j];
    numbers[j] = t;
}

static int partition(int from, int to) {
    swap(from + (to - from) / 2, to - 1);
    unsigned pivot = numbers[to - 1];
    int place = from;
    for (int i = from; i < to - 1; i++)
        if (numbers[i] < pivot) swap(i, place++);
    swap(place, to - 1);
    return place;
}

static void sort_here(int from, int to) {
    while (to - from > 16) {
        int middle = partition(from, to);
        sort_here(from, middle);
        from = middle + 1;
    }
    for (int i = from + 1; i < to; i++)
        for (int j = i; j > from && numbers[j] < numbers[j - 1]; j--) swap(j, j - 1);
}

static void put(int from, int to) {
    pthread_mutex_lock(&lock);
    queue[queued].from = from;
    queue[queued++].to = to;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
}

static int take(struct range *range) {
    pthread_mutex_lock(&lock);
    while (queued == 0 && unsorted > 0) pthread_cond_wait(&changed, &lock);
    int more = queued > 0;
    if (more) *range = queue[--queued];
    pthread_mutex_unlock(&lock);
    return more;
}

static void sorted(int count) {
    pthread_mutex_lock(&lock);
    unsorted -= count;
    if (unsorted == 0) pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

static void *work(void *arg) {
    struct range range;
    (void)arg;
    while (take(&range)) {
        if (range.to - range.from <= SMALL) {
            sort_here(range.from, range.to);
            sorted(range.to - range.from);
            continue;
        }
        int middle = partition(range.from, range.to);
        put(range.from, middle);
        put(middle + 1, range.to);
        sorted(1);
    }
    return NULL;
}

int main(void) {
    numbers = malloc(sizeof(unsigned) * N);
    unsigned state = 1;
    for (int i = 0; i < N; i++) numbers[i] = state = state * 1664525u + 1013904223u;
    put(0, N);
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    unsigned check = 0, ordered = 1;
    for (int i = 1; i < N; i++) {
        ordered &= numbers[i - 1] <= numbers[i];
        check = check * 31 + numbers[i];
    }
    printf("%u %u\n", ordered, check);
    free(numbers);
    return 0;
}
