// Events of the user's own, in order with the rest.
#include <foretrace.h>
#include <pthread.h>
static void *work(void *arg) {
    foretrace_event("served", 7);
    foretrace_event("dropped", 1ull << 40);
    foretrace_event("served", 0);
    return arg;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    return 0;
}
