// fails: deadlock
// A barrier of a lock and a count: who leaves it and comes back at once finds the count of the round before.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int arrived;
#ifdef FIXED
static int generation;
#endif

static void meet(void) {
    pthread_mutex_lock(&lock);
#ifdef FIXED
    int mine = generation;
    if (++arrived == 2) {
        arrived = 0;
        generation++;
        pthread_cond_broadcast(&changed);
    }
    while (mine == generation)
        pthread_cond_wait(&changed, &lock);
#else
    if (++arrived == 2)
        pthread_cond_broadcast(&changed);
    while (arrived < 2)
        pthread_cond_wait(&changed, &lock);
    arrived = 0;
#endif
    pthread_mutex_unlock(&lock);
}

static void *rounds(void *unused) {
    meet();
    meet();
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, rounds, NULL);
    rounds(NULL);
    pthread_join(thread, NULL);
    return 0;
}
