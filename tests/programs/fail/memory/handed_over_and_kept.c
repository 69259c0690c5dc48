#include "../../program.h"
// A block is made, handed over, and still used by its maker, who then meets the other thread at an unrelated lock.
struct message {
    int tries;
};
static struct message *box;
static int count;
MUTEX(m);
MUTEX(n);
NOBODY_CARES(a) {
    struct message *mine = malloc(sizeof *mine);
    mine->tries = 0;
    L(m);
    box = mine;
    U(m);
    mine->tries++; // expect: race with line 31
    L(n);
    count++;
    U(n);
    return unused;
}
NOBODY_CARES(b) {
    let_others_run();
    L(m);
    struct message *mine = box;
    U(m);
    L(n);
    count++;
    U(n);
    if (mine)
        mine->tries += 2;
    return unused;
}
int main(void) {
    run2(a, b);
    return 0;
}
// fails whenever: 13 before 24, 27 before 17
