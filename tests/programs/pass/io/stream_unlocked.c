#include "../../program.h"
// Functions that leave the stream's lock to their caller, who takes it; others take it themselves.
static FILE *stream;
NOBODY_CARES(work) {
    for (int i = 0; i < 3; i++) {
        flockfile(stream);
        fputs_unlocked("one ", stream);
        fwrite_unlocked("two\n", 4, 1, stream);
        funlockfile(stream);
        fprintf(stream, "%d\n", i);
    }
    return unused;
}
int main(void) {
    stream = tmpfile();
    run2(work, work);
    return ftell(stream) != 60;
}
