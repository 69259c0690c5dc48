#include "../../program.h"
// strtok remembers one string for the whole process.
NOBODY_CARES(a) {
    char words[] = "one two";
    for (char *word = strtok(words, " "); word; word = NULL) let_others_run(); // expect: race with line 11
    return unused;
}
NOBODY_CARES(b) {
    char words[] = "three four";
    let_others_run();
    return strtok(words, " ") == words ? unused : NULL;
}
int main(void) { run2(a, b); return 0; }
// fails whenever: nothing
