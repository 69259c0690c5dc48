// Threads that are moved from core to core and change their priority.
#include "nasty.h"

static void *wander(void *arg) {
    cpu_set_t all;
    sched_getaffinity(0, sizeof all, &all);
    for (int turn = 0; turn < 50; turn++) {
        int core = turn % CPU_SETSIZE;
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(core, &one);
        if (CPU_ISSET(core, &all))
            sched_setaffinity(0, sizeof one, &one);
        setpriority(PRIO_PROCESS, 0, turn % 20);
        add(0);
    }
    return arg;
}

int main(void) {
    events();
    pthread_t one = start(wander, 0), two = start(wander, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    say("wandered");
}
