#include "../../program.h"
// A file that is gone tells that the data is there.
#include <fcntl.h>
static int data;
static char path[] = "/tmp/unlinked.XXXXXX";
NOBODY_CARES(writes) {
    data = 1;
    unlink(path);
    return unused;
}
NOBODY_CARES(reads) {
    for (int file; (file = open(path, O_RDONLY)) >= 0;) {
        close(file);
        sched_yield();
    }
    if (data != 1)
        abort();
    return unused;
}
int main(void) {
    close(mkstemp(path));
    run2(writes, reads);
    return 0;
}
