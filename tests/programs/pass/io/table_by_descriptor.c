#include "../../program.h"
#include <fcntl.h>
#include <sys/socket.h>
// A table of what is known of each descriptor, as servers have it. The kernel gives a number out again only when it has been
// closed, so whoever gets it next comes after that.
static int uses[64];
NOBODY_CARES(files) {
    for (int i = 0; i < 3; i++) {
        int fd = open("/dev/null", O_RDWR);
        uses[fd]++;
        close(fd);
        usleep(100);
    }
    return unused;
}
NOBODY_CARES(sockets) {
    for (int i = 0; i < 3; i++) {
        int ends[2];
        if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
            abort();
        uses[ends[0]]++;
        int copy = dup(ends[0]);
        uses[copy]++;
        close(ends[0]);
        close(copy);
        FILE *file = fdopen(ends[1], "r");
        uses[ends[1]]++;
        fclose(file);
    }
    return unused;
}
int main(void) {
    run2(files, sockets);
    return uses[0];
}
