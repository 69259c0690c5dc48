#include "../../program.h"
// Each thread locks a file of its own.
#include <sys/file.h>
static int shared, files[2];
static void touch(int fd) {
    flock(fd, LOCK_EX);
    shared++; // expect: race
    flock(fd, LOCK_UN);
}
NOBODY_CARES(a) {
    touch(files[0]);
    return unused;
}
NOBODY_CARES(b) {
    let_others_run();
    touch(files[1]);
    return unused;
}
int main(void) {
    for (int i = 0; i < 2; i++) {
        char name[] = "/tmp/foretrace-own-XXXXXX";
        files[i] = mkstemp(name);
        unlink(name);
    }
    run2(a, b);
    return 0;
}
