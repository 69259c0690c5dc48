#include "../../program.h"
// Locks on one file, each of four kinds in turn, keep the threads apart.
#include <fcntl.h>
#include <sys/file.h>
static int shared[4];
static char name[] = "/tmp/foretrace-lock-XXXXXX";
static void through_descriptor(int fd) {
    flock(fd, LOCK_EX);
    shared[0]++;
    flock(fd, LOCK_UN);
}
static void through_record(int fd) {
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    fcntl(fd, F_OFD_SETLKW, &lock);
    shared[1]++;
    lock.l_type = F_UNLCK;
    fcntl(fd, F_OFD_SETLK, &lock);
}
static void until_closed(void) {
    int fd = open(name, O_RDWR);
    flock(fd, LOCK_EX);
    shared[2]++;
    close(fd);
}
static void until_replaced(void) {
    int by = open("/dev/null", O_RDWR), fd = open(name, O_RDWR);
    flock(fd, LOCK_EX);
    shared[3]++;
    dup2(by, fd);
    close(fd);
    close(by);
}
NOBODY_CARES(work) {
    int fd = open(name, O_RDWR);
    through_descriptor(fd);
    through_record(fd);
    until_closed();
    close(fd);
    until_replaced();
    return unused;
}
int main(void) {
    close(mkstemp(name));
    run2(work, work);
    unlink(name);
    return shared[0] + shared[1] + shared[2] + shared[3] == 8 ? 0 : 1;
}
