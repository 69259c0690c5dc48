#include "../../program.h"
#include <sys/wait.h>
// A process that is forked off before there are threads makes some of its own when the others have ended.
static int count;
MUTEX(m);
NOBODY_CARES(careless) {
    count++; // expect: race with line 7
    return unused;
}
NOBODY_CARES(careful) {
    L(m);
    count++;
    U(m);
    return unused;
}
int main(void) {
    int ends[2];
    char byte = 0;
    if (pipe(ends) != 0)
        return 1;
    pid_t child = fork();
    if (child == 0) {
        if (read(ends[0], &byte, 1) == 1)
            run2(careful, careful);
        _exit(0);
    }
    run2(careless, careless);
    if (write(ends[1], &byte, 1) != 1)
        return 1;
    waitpid(child, NULL, 0);
    return 0;
}
