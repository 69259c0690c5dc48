#include "../../program.h"
#include <sys/wait.h>
// One thread forks, another waits for the child: it comes after what the first did before the fork.
static int data;
NOBODY_CARES(forks) {
    data = 1;
    if (fork() == 0)
        _exit(0);
    return unused;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, forks, NULL);
    while (wait(NULL) < 0)
        usleep(1000);
    int got = data;
    pthread_join(thread, NULL);
    return got != 1;
}
