#include "../../program.h"
// A directory that is gone tells that the data is there.
static int data;
static char path[] = "/tmp/removed.XXXXXX";
NOBODY_CARES(writes) {
    data = 1;
    rmdir(path);
    return unused;
}
NOBODY_CARES(reads) {
    for (DIR *directory; (directory = opendir(path));) {
        closedir(directory);
        sched_yield();
    }
    if (data != 1)
        abort();
    return unused;
}
int main(void) {
    if (!mkdtemp(path))
        return 1;
    run2(writes, reads);
    return 0;
}
