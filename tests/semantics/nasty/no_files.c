// Allows itself no file of any length, after its first threads.
#include "nasty.h"

int main(void) {
    events();
    struct rlimit none = { 0, 0 };
    MUST(setrlimit(RLIMIT_FSIZE, &none) == 0);
    for (int i = 0; i < 50; i++)
        events();
    // To print would be to write to a file.
    return nasty_count == 10200 ? 31 : 1;
}
