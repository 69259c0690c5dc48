#include "../../program.h"
// One thread destroys the mutex that the other may still use.
static pthread_mutex_t mutex;
static int count;
NOBODY_CARES(worker) {
    pthread_mutex_lock(&mutex);
    count++;
    pthread_mutex_unlock(&mutex); // expect: race with line 13
    return unused;
}
NOBODY_CARES(owner) {
    for (int i = 0; i < 20; i++) let_others_run();
    pthread_mutex_destroy(&mutex);
    return unused;
}
int main(void) {
    pthread_mutex_init(&mutex, NULL);
    run2(worker, owner);
    return count != 1;
}
