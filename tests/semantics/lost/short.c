// Twenty thousand threads, two at a time; numbers are not used again, handles are.
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void *work(void *arg) {
    pthread_mutex_lock(&mutex);
    counter++;
    pthread_mutex_unlock(&mutex);
    return arg;
}

int main(void) {
    for (int i = 0; i < 10000; i++) {
        pthread_t first, second;
        if (pthread_create(&first, 0, work, 0) != 0 || pthread_create(&second, 0, work, 0) != 0)
            return 1;
        pthread_join(first, 0);
        pthread_join(second, 0);
    }
    return counter != 20000;
}
