// Allows itself no file of any length, before its first thread.
#include "nasty.h"

int main(void) {
    struct rlimit none = { 0, 0 };
    MUST(setrlimit(RLIMIT_FSIZE, &none) == 0);
    events();
    // To print would be to write to a file.
    return nasty_count == 200 ? 31 : 1;
}
