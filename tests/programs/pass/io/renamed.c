#include "../../program.h"
// A file gets its name when it is ready.
#include <sys/stat.h>
static int data;
static char draft[] = "/tmp/draft.XXXXXX", whole[64];
NOBODY_CARES(writes) {
    data = 1;
    rename(draft, whole);
    return unused;
}
NOBODY_CARES(reads) {
    struct stat found;
    while (stat(whole, &found) != 0)
        sched_yield();
    if (data != 1)
        abort();
    return unused;
}
int main(void) {
    close(mkstemp(draft));
    snprintf(whole, sizeof whole, "%s.whole", draft);
    run2(writes, reads);
    unlink(whole);
    return 0;
}
