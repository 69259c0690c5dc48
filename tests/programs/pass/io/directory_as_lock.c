#include "../../program.h"
// Only one can make a directory: whoever did holds the lock.
#include <sys/stat.h>
static int data;
static char path[64];
NOBODY_CARES(adds) {
    while (mkdir(path, 0700) != 0)
        sched_yield();
    data++;
    rmdir(path);
    return unused;
}
int main(void) {
    snprintf(path, sizeof path, "/tmp/lock.%d", getpid());
    run2(adds, adds);
    return data != 2;
}
