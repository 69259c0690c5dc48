// The last thing the program does: it gives up all system calls but four, and its clock.
#include "nasty.h"

int main(void) {
    events();
    say("giving up");
    fflush(0);
    MUST(prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) == 0);
    for (int i = 0; i < 100; i++) {
        pthread_mutex_lock(&nasty_lock);
        nasty_count++;
        pthread_mutex_unlock(&nasty_lock);
    }
    if (write(1, "given up\n", 9) != 9)
        syscall(SYS_exit, 1);
    syscall(SYS_exit, 0);
}
