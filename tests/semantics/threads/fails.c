// A thread that cannot be created has never been; its number is not given to another.
// t0: start; fork t2; join t2; exit 0
// t2: start; end
#include <pthread.h>

static void *work(void *arg) { return arg; }

int main(void) {
    pthread_t thread;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, (size_t)1 << 46);
    if (pthread_create(&thread, &attributes, work, 0) == 0)
        return 1;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    return 0;
}
