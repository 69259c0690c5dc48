#include "../../program.h"
// A block is used after it was freed and its memory belongs to another block, that nobody touches. The flag orders nothing, but
// the user always waits for it: only a replay that keeps freed memory from reuse sees the two together.
struct node { int value, pad[15]; };
static struct node *shared, *again;
static int news, gone, uses;
NOBODY_CARES(user) {
    struct node *mine = shared;
    while (!__atomic_load_n(&gone, __ATOMIC_RELAXED))
        usleep(1000);
    uses += mine->value; // expect: race with line 17
    uses += news; // expect: race with line 16
    return unused;
}
NOBODY_CARES(owner) {
    news = 1;
    free(shared);
    again = malloc(sizeof *again);
    __atomic_store_n(&gone, 1, __ATOMIC_RELAXED);
    return unused;
}
int main(void) {
    shared = calloc(1, sizeof *shared);
    run2(user, owner);
    free(again);
    return uses < 0;
}
