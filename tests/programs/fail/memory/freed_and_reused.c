#include "../../program.h"
// A block is freed while another thread still uses it, and the next allocation of the same size gets its memory at once: the
// use looks like one of the new block.
struct node { int value, pad[15]; };
static struct node *shared;
static int taken, uses;
MUTEX(m);
static int is_taken(void) {
    L(m);
    int result = taken;
    U(m);
    return result;
}
NOBODY_CARES(user) {
    L(m);
    struct node *mine = shared;
    taken = 1;
    U(m);
    usleep(20000);
    uses += mine->value; // expect: race with line 26
    return unused;
}
NOBODY_CARES(owner) {
    while (!is_taken())
        usleep(1000);
    free(shared);
    int value = 0;
    for (int i = 0; i < 3; i++) {
        struct node *again = calloc(1, sizeof *again);
        value += again->value;
        free(again);
    }
    struct node *last = calloc(1, sizeof *last);
    last->value = value;
    usleep(60000);
    free(last);
    return unused;
}
int main(void) {
    shared = calloc(1, sizeof *shared);
    run2(user, owner);
    return uses < 0;
}
