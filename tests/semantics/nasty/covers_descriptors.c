// Puts a file of its own over every descriptor there is, and reads it back.
#include "nasty.h"

int main(void) {
    events();
    FILE *file = tmpfile();
    int own = fileno(file);
    for (int fd = 3; fd < 1000; fd++)
        if (fd != own)
            dup2(own, fd);
    for (int i = 0; i < 20; i++)
        events();
    MUST(lseek(own, 0, SEEK_END) == 0);
    MUST(write(own, "mine", 4) == 4 && lseek(own, 0, SEEK_END) == 4);
    say("nobody wrote to it");
}
