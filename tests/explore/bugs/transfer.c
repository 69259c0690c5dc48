// fails: deadlock
// Money goes back only if it has come: then each transfer holds its own account and waits for the other's.
#include <pthread.h>

static pthread_mutex_t locks[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static int balances[2] = {20, 0};

static void transfer(int from, int to) {
#ifdef FIXED
    int first = from < to ? from : to;
#else
    int first = from;
#endif
    pthread_mutex_lock(&locks[first]);
    if (first != from || balances[from] >= 10) {
        pthread_mutex_lock(&locks[from + to - first]);
        if (balances[from] >= 10) {
            balances[from] -= 10;
            balances[to] += 10;
        }
        pthread_mutex_unlock(&locks[from + to - first]);
    }
    pthread_mutex_unlock(&locks[first]);
}

static void *give(void *unused) {
    transfer(0, 1);
    transfer(0, 1);
    return unused;
}

static void *give_back(void *unused) {
    transfer(1, 0);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, give, NULL);
    pthread_create(&threads[1], NULL, give_back, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
