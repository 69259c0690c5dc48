// ways: gcc clang tsan
// flags: -fno-builtin
// Events of the user's own, in order with the rest.
// t0: start; fork t1; join t1; exit 0
// t1: start; custom e 7; custom e2 1099511627776; custom e 0; end
#include "../../../crates/runtime/include/foretrace.h"
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
