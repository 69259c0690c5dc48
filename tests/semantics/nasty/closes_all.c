// Closes every descriptor but the first three, in two ways, while threads work.
#include "nasty.h"

int main(void) {
    pthread_t one = start(add, 0);
    closefrom(3);
    pthread_join(one, 0);
    events();
    for (int fd = 3; fd < 2000; fd++)
        close(fd);
    syscall(SYS_close_range, 3, ~0u, 0);
    events();
    MUST(open("/dev/null", O_RDONLY) == 3);
    say("nobody holds descriptor three");
}
