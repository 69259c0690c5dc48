#include "../../program.h"
// Each thread has blocks of its own, one after the other at the same address, and one grows in place.
struct node { int value, pad[15]; };
static int sum;
MUTEX(m);
static void *work(void *unused) {
    for (int i = 0; i < 20; i++) {
        struct node *mine = malloc(sizeof *mine);
        mine->value = i;
        struct node *larger = realloc(mine, sizeof *mine + 8 * (i % 3));
        larger->value++;
        L(m);
        sum += larger->value;
        U(m);
        free(larger);
        usleep(10);
    }
    return unused;
}
int main(void) { run3(work, work, work); return sum < 0; }
