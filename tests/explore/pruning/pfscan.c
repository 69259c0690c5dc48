// In the shape of pfscan, a parallel file scanner: the main thread puts paths into a shared queue, and others take them out,
// scan them, and count matches. With -DBUG, a count is read without its lock.
#include <pthread.h>

#ifndef FILES
#define FILES 3
#endif
#ifndef SCANNERS
#define SCANNERS 1
#endif

struct queue {
    int items[4];
    int in, out, count, closed;
} queue;
pthread_mutex_t queue_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
pthread_mutex_t matches_lock = PTHREAD_MUTEX_INITIALIZER, print_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t active_lock = PTHREAD_MUTEX_INITIALIZER;
int matches, active, printed, shown;

static int scan(int file) {
    const char *text = "a needle in a haystack with another needle";
    int found = 0;
    for (const char *at = text + file; *at; at++)
        if (at[0] == 'n' && at[1] == 'e' && at[2] == 'e')
            found++;
    return found;
}

static void *scanner(void *none) {
    for (;;) {
        pthread_mutex_lock(&queue_lock);
        while (queue.count == 0 && !queue.closed)
            pthread_cond_wait(&filled, &queue_lock);
        if (queue.count == 0) {
            pthread_mutex_unlock(&queue_lock);
            break;
        }
        int file = queue.items[queue.out];
        queue.out = (queue.out + 1) % 4;
        queue.count--;
        pthread_mutex_unlock(&queue_lock);
        int found = scan(file);
        pthread_mutex_lock(&matches_lock);
        matches += found;
        pthread_mutex_unlock(&matches_lock);
        pthread_mutex_lock(&print_lock);
        printed++;
        pthread_mutex_unlock(&print_lock);
    }
    pthread_mutex_lock(&active_lock);
    active--;
    pthread_mutex_unlock(&active_lock);
    return none;
}

int main(void) {
    pthread_t threads[SCANNERS];
    active = SCANNERS;
    for (int i = 0; i < SCANNERS; i++)
        pthread_create(&threads[i], 0, scanner, 0);
    for (int file = 0; file < FILES; file++) {
        pthread_mutex_lock(&queue_lock);
        queue.items[queue.in] = file;
        queue.in = (queue.in + 1) % 4;
        queue.count++;
        pthread_cond_signal(&filled);
        pthread_mutex_unlock(&queue_lock);
#ifndef BUG
        pthread_mutex_lock(&matches_lock);
#endif
        shown = matches;
#ifndef BUG
        pthread_mutex_unlock(&matches_lock);
#endif
    }
    pthread_mutex_lock(&queue_lock);
    queue.closed = 1;
    pthread_cond_broadcast(&filled);
    pthread_mutex_unlock(&queue_lock);
    for (int i = 0; i < SCANNERS; i++)
        pthread_join(threads[i], 0);
    return 0;
}
