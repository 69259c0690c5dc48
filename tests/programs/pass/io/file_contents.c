#include "../../program.h"
// What a thread has written into a file tells another one that the data is there.
static int data;
static FILE *file;
NOBODY_CARES(writes) {
    data = 1;
    if (pwrite(fileno(file), "x", 1, 0) != 1)
        abort();
    return unused;
}
NOBODY_CARES(reads) {
    char byte = 0;
    while (pread(fileno(file), &byte, 1, 0) != 1)
        sched_yield();
    if (data != 1)
        abort();
    return unused;
}
int main(void) {
    file = tmpfile();
    if (!file)
        return 1;
    run2(writes, reads);
    fclose(file);
    return 0;
}
