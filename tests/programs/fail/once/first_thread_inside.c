#include "../../program.h"
// The first thread is created by the initialiser: what comes after it is checked, too.
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_t worker;
int jobs;
static void *work(void *unused) {
    jobs = 1; // expect: race with line 13
    return unused;
}
static void start_pool(void) { pthread_create(&worker, NULL, work, NULL); }
int main(void) {
    pthread_once(&once, start_pool);
    jobs = 2;
    pthread_join(worker, NULL);
    return 0;
}
// fails whenever: nothing
