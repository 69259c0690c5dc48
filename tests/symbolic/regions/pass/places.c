// flags: --atomic take
// Whether a place is left is looked at in the critical section in which it is taken.
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int places = 4;

static int take(void) {
    pthread_mutex_lock(&m);
    int is_left = places > 0;
    if (is_left)
        places--;
    pthread_mutex_unlock(&m);
    return is_left;
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
