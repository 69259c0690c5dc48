#include "../../program.h"
// A message is handed over through a queue; then the receiver owns it.
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
    return unused;
}
NOBODY_CARES(b) {
    L(m);
    while (!box)
        pthread_cond_wait(&c, &m);
    struct message *mine = box;
    U(m);
    mine->text++;
    free(mine);
    return unused;
}
int main(void) { run2(a, b); return 0; }
