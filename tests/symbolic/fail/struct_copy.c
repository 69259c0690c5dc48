// A structure is copied as a whole, and written in two critical sections.
#include <assert.h>
#include <pthread.h>

struct state {
    int first, second, third, sum;
};

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
struct state shared;

static void *set(void *unused) {
    pthread_mutex_lock(&m);
    shared.first = 5;
    pthread_mutex_unlock(&m);
    pthread_mutex_lock(&m);
    shared.sum = 5;
    pthread_mutex_unlock(&m);
    return unused;
}

static void *look(void *unused) {
    pthread_mutex_lock(&m);
    struct state copy = shared;
    pthread_mutex_unlock(&m);
    struct state again = copy;
    assert(again.first + again.second + again.third == again.sum); // expect: crash
    return unused;
}

int main(void) {
    pthread_t one, other;
    pthread_create(&one, 0, set, 0);
    pthread_create(&other, 0, look, 0);
    pthread_join(one, 0);
    pthread_join(other, 0);
    return 0;
}
