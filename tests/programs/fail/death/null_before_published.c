#include "../../program.h"
// The reader does not wait for the writer; if it comes first, it follows a null pointer.
struct config { int size; };
static struct config only = { 3 };
struct config *current;
NOBODY_CARES(writer) {
    current = &only; // expect: race with line 12
    return unused;
}
NOBODY_CARES(reader) {
    usleep(20000);
    printf("%d\n", current->size);
    return unused;
}
int main(void) { run2(writer, reader); return 0; }
