#include "../../program.h"
// The sender goes on using what it has handed over.
struct message { int text; };
static struct message *box;
MUTEX(m);
COND(c);
NOBODY_CARES(a) {
    struct message *mine = malloc(sizeof *mine);
    mine->text = 9;
    L(m);
    box = mine;
    pthread_cond_signal(&c);
    U(m);
    mine->text++; // expect: race with line 23
    return unused;
}
NOBODY_CARES(b) {
    L(m);
    while (!box)
        pthread_cond_wait(&c, &m);
    struct message *mine = box;
    U(m);
    mine->text++;
    return unused;
}
int main(void) { run2(a, b); return 0; }
