#include "../../program.h"
#include <stdatomic.h>
// The sender writes after it has handed the message over, and then gives up its reference; in the recorded run that comes
// before the receiver counts its own.
struct message {
    atomic_int references;
    int tries;
};
static struct message *box;
MUTEX(m);
static void drop(struct message *of) {
    if (atomic_fetch_sub(&of->references, 1) == 1)
        free(of);
}
NOBODY_CARES(a) {
    struct message *mine = malloc(sizeof *mine);
    mine->references = 2;
    mine->tries = 0;
    L(m);
    box = mine;
    U(m);
    mine->tries++; // expect: race with line 35
    drop(mine);
    return unused;
}
NOBODY_CARES(b) {
    let_others_run();
    L(m);
    struct message *mine = box;
    U(m);
    if (!mine)
        return unused;
    atomic_fetch_add(&mine->references, 1);
    drop(mine);
    mine->tries += 2;
    drop(mine);
    return unused;
}
int main(void) {
    run2(a, b);
    return 0;
}
