#include "../../program.h"
// Functions that leave the stream's lock to their caller, who does not take it.
static FILE *stream;
NOBODY_CARES(a) {
    fputs_unlocked("one\n", stream); // expect: race with line 10
    return unused;
}
NOBODY_CARES(b) {
    let_others_run();
    fwrite_unlocked("two\n", 4, 1, stream);
    return unused;
}
int main(void) {
    stream = tmpfile();
    run2(a, b);
    return ftell(stream) == 0;
}
