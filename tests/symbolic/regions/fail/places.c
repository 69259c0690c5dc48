// flags: --atomic take
// Whether a place is left is looked at in one critical section, and it is taken in another.
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int places = 4;

static int take(void) {
    pthread_mutex_lock(&m);
    int is_full = places == 0; // expect: atomicity-violation
    pthread_mutex_unlock(&m);
    if (is_full)
        return 0;
    pthread_mutex_lock(&m);
    places--;
    pthread_mutex_unlock(&m);
    return 1;
}

static void *work(void *unused) {
    take();
    take();
    return unused;
}

int main(void) {
    pthread_t one, other;
    pthread_create(&one, 0, work, 0);
    pthread_create(&other, 0, work, 0);
    pthread_join(one, 0);
    pthread_join(other, 0);
    return 0;
}
